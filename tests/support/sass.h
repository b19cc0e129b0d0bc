#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

// Machine code of GPUs (SASS), as NVIDIA's disassembler prints it.
namespace tutti::test {

// Why there is none to look at; empty where nvdisasm is there. It is looked for in what
// scripts/nvidia-wheels has fetched, in the toolkit and where the shell looks.
std::string why_no_nvdisasm();

// The operations of a kernel's code in their order, without what they work on:
// "STG.E.128.STRONG.SYS". A place that branches go to is a "label". Throws std::runtime_error, with
// what nvdisasm says, where it can't read the code.
std::vector<std::string> sass_of(std::span<const std::byte> cubin);

}  // namespace tutti::test

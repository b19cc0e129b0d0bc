#pragma once

#include <tutti/ir/device.h>
#include <tutti/lazy/operand.h>

#include <source_location>

// Where tensors lie and are computed. An op computes where its operands lie; nothing is copied
// between devices unless to() says so. C++ numbers adapt to the tensor they meet. That the machine
// lacks a device shows when something is put on it or computed there: EnvironmentError.
namespace tutti {

// Where the calling thread's rank makes new tensors: what TUTTI_DEVICE, InitOptions or
// SimulateOptions say, else the host. Setting it moves no tensor. Throws UsageError for
// Device::any().
Device default_device();
void set_default_device(Device device, std::source_location at = std::source_location::current());

// The tensor on a device: a copy, or the tensor itself if it lies there. Gradients go back.
Tensor to(const Operand& x, Device device);

namespace detail {
// y where x lies: what is made of positions alone lies on the default device at first.
Tensor placed(const Tensor& y, const Tensor& x);
}  // namespace detail

// Returns when all work that this rank has put on GPUs is done. Reading a tensor waits for what it
// needs by itself; this is for measuring.
void synchronize();

}  // namespace tutti

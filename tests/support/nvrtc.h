#pragma once

#include <string>

namespace tutti::test {

// Why tests that compile with NVIDIA's own compiler can't run here; empty where NVRTC is there. It
// is optional, for users and so for tests: without it, tests on the double of the driver run the
// same CUDA C++ on the host.
std::string why_no_nvrtc();

}  // namespace tutti::test

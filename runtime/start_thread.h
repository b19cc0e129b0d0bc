#pragma once

#include <functional>
#include <string>
#include <thread>

namespace tutti::runtime {

// A thread that runs `body`. Throws EnvironmentError where the system has no more of them.
std::thread start_thread(std::function<void()> body);

// So many threads that run body(0), body(1), ... Where one can't be started, gave_up(its number,
// why) is called for it and all that would follow, so that those that run don't wait for them; when
// they have ended, what start_thread() threw is thrown. Otherwise waits for the end of all.
void run_threads(int count, const std::function<void(int)>& body,
                 const std::function<void(int, const std::string&)>& gave_up);

}  // namespace tutti::runtime

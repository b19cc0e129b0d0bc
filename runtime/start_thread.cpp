#include <tutti/ir/support/error.h>
#include <tutti/runtime/start_thread.h>

#include <exception>
#include <system_error>
#include <utility>
#include <vector>

namespace tutti::runtime {

std::thread start_thread(std::function<void()> body) {
  try {
    return std::thread(std::move(body));
  } catch (const std::system_error& error) {
    throw EnvironmentError("the system has no more threads (limited by ulimit -u?): " +
                           error.code().message());
  }
}

void run_threads(int count, const std::function<void(int)>& body,
                 const std::function<void(int, const std::string&)>& gave_up) {
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(count));
  std::exception_ptr failure;
  try {
    for (int i = 0; i < count; ++i) threads.push_back(start_thread([&body, i] { body(i); }));
  } catch (const std::exception& error) {
    failure = std::current_exception();
    for (int i = static_cast<int>(threads.size()); i < count; ++i) gave_up(i, error.what());
  }
  for (std::thread& thread : threads) thread.join();
  if (failure != nullptr) std::rethrow_exception(failure);
}

}  // namespace tutti::runtime

#pragma once

#include <tutti/runtime/profile/profile.h>

#include <functional>
#include <string>
#include <string_view>

namespace tutti::runtime {

// How every trace file begins and ends. Between them stand events, one a line, with commas between.
inline constexpr std::string_view kTraceBegin =
    "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"tutti_trace\":\"1\"},\"traceEvents\":[\n";
inline constexpr std::string_view kTraceEnd = "\n]}\n";

// The events of a rank as JSON, commas between them, in pieces of about a mebibyte.
void write_events(const Profile& profile, const std::function<void(std::string_view)>& write);

}  // namespace tutti::runtime

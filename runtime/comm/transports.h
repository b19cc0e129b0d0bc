#pragma once

#include <tutti/runtime/comm/group_agreement.h>
#include <tutti/runtime/comm/transport.h>

#include <memory>
#include <span>
#include <string_view>

namespace tutti::runtime {

// How groups can name a transport of the library's own; engines of users are in EngineRegistry.
struct TransportEntry {
  std::string_view name;
  // Null where this version does not have it; `instead` then says what there is, for errors.
  std::unique_ptr<Transport> (*make)(GroupAgreement& agreement);
  std::string_view instead;
};

std::span<const TransportEntry> transports();
// Null for other names.
const TransportEntry* find_transport(std::string_view name);

}  // namespace tutti::runtime

#pragma once

#include <tutti/runtime/comm/collective.h>
#include <tutti/runtime/comm/group_agreement.h>
#include <tutti/runtime/comm/transport.h>

#include <memory>
#include <span>
#include <string_view>

namespace tutti::runtime {

class GroupCommunicator;

// How groups can name a transport of the library's own; engines of users are in EngineRegistry.
struct TransportEntry {
  std::string_view name;
  // Null where this build does not have it; `instead` then says what there is, for errors. `setup`
  // is a communicator of the same members over which they set it up, where it is on_devices.
  std::unique_ptr<Transport> (*make)(GroupAgreement& agreement,
                                     std::shared_ptr<GroupCommunicator> setup);
  std::string_view instead;
  // It moves what lies on GPUs, and nothing else.
  bool on_devices = false;
  // Whether it has such a call, of so many members; where not, the host's memory serves, for all
  // members alike. Null: it has all.
  bool (*serves)(const CollectiveCall& call, int members) = nullptr;
};

std::span<const TransportEntry> transports();
// Null for other names.
const TransportEntry* find_transport(std::string_view name);
// Whether an engine of that name works on what lies on GPUs, and on nothing else.
bool moves_on_devices(std::string_view engine);

}  // namespace tutti::runtime

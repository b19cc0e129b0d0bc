#include <tutti/kernels/host/collective_run.h>
#include <tutti/kernels/host/collectives.h>
#include <tutti/runtime/comm/group_call.h>
#include <tutti/runtime/comm/site.h>

#include <algorithm>
#include <utility>

namespace tutti::runtime {

namespace {

CollectiveCall checked(const Communicator& by, CollectiveCall call) {
  check_call(call, by.size(), by.position());
  call.description = describe(call);
  for (TensorPart& part : call.parts) {
    part.operand = nullptr;
    part.result = nullptr;
  }
  return call;
}

}  // namespace

GroupCall::GroupCall(const Communicator& by, CollectiveCall wanted)
    : PreparedCall(checked(by, std::move(wanted))),
      made_by(&by),
      fingerprint(runtime::fingerprint(call())),
      site(compared_site(call())),
      compares_positions(!call().programs_differ && call().kind != CollectiveKind::send_recv),
      program(compared_program(call())),
      gives(runtime::gives(call(), by.position())),
      gets(call().kind != CollectiveKind::send_recv || by.position() == 1) {
  const auto bytes_of = [&](std::int64_t elements) {
    return static_cast<std::size_t>(elements * size_of(call().dtype));
  };
  std::size_t numbers = 0;
  for (const TensorPart& part : call().parts) {
    shapes.push_back({part.elements, part.outer, part.axis_size, part.inner, part.sizes});
    operand_bytes.push_back(bytes_of(part.elements));
    result_bytes.push_back(bytes_of(result_elements(call(), part, by.size(), by.position())));
    if (!is_uneven_exchange(call(), part)) continue;
    uneven = true;
    numbers += 2 * part.sizes.size();
  }
  one_shot = is_one_shot(call(), by.size());
  has_table = uneven || shapes.size() > 1;
  table_bytes = shapes.size() * sizeof(kernels::PartPlace) + numbers * sizeof(std::int64_t);
  common_results = common_result(call(), by.size());
}

}  // namespace tutti::runtime

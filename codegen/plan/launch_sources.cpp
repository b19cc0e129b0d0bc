#include <tutti/codegen/plan/launch_sources.h>
#include <tutti/codegen/plan/plan.h>

#include <algorithm>
#include <utility>

namespace tutti::codegen {

namespace {

runtime::ProfileSource source_of(const Plan& plan, const LaunchPart& part,
                                 runtime::ProfileSource::Kind kind, int threads) {
  return {.kind = kind,
          .name = full_name(plan, part),
          .detail = part.detail,
          .plan = plan.name,
          .kernel = std::max(part.kernel, part.epilogue),
          .location = part.location,
          .counts = part.counts,
          .library_seconds = part.code == nullptr ? 0 : part.code->library_seconds(threads)};
}

}  // namespace

runtime::PlanProfile::LaunchSources launch_sources(const Plan& plan,
                                                   std::span<const LaunchPart> parts,
                                                   runtime::Profile& profile) {
  using Kind = runtime::ProfileSource::Kind;
  runtime::PlanProfile::LaunchSources out;
  const auto threads = static_cast<int>(profile.tracks().size());
  runtime::ProfileSource whole = source_of(plan, parts[0], Kind::launch, threads);
  whole.counts = {};
  for (const LaunchPart& part : parts) {
    out.pieces.push_back(profile.add_source(source_of(plan, part, Kind::piece, threads)));
    whole.counts += part.counts;
  }
  whole.parts = out.pieces;
  out.whole = profile.add_source(std::move(whole));
  return out;
}

}  // namespace tutti::codegen

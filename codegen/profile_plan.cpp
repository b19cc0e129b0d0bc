#include <tutti/codegen/profile_plan.h>

#include <algorithm>
#include <utility>

namespace tutti::codegen {

namespace {

using runtime::PlanProfile;
using runtime::Profile;
using runtime::ProfileSource;
using Kind = ProfileSource::Kind;

ProfileSource source_of(const Plan& plan, const LaunchPart& part, Kind kind) {
  std::string name = part.name;
  if (part.epilogue >= 0) {
    name += " then " + plan.kernels[static_cast<std::size_t>(part.epilogue)].name;
  }
  return {.kind = kind,
          .name = std::move(name),
          .detail = part.detail,
          .plan = plan.name,
          .kernel = std::max(part.kernel, part.epilogue),
          .location = part.location,
          .counts = part.counts};
}

PlanProfile::LaunchSources add_launch(const Plan& plan, const Launch& launch, Profile& profile) {
  PlanProfile::LaunchSources out;
  ProfileSource whole = source_of(plan, launch.parts[0], Kind::launch);
  whole.counts = {};
  for (const LaunchPart& part : launch.parts) {
    out.pieces.push_back(profile.add_source(source_of(plan, part, Kind::piece)));
    whole.counts += part.counts;
  }
  whole.parts = out.pieces;
  out.whole = profile.add_source(std::move(whole));
  return out;
}

PlanProfile::WorkSources add_collective(const CollectiveStart& start, Profile& profile) {
  ProfileSource source{.kind = Kind::collective,
                       .name = runtime::describe(start.call),
                       .location = start.call.location,
                       .group = start.group->tag};
  for (const runtime::TensorPart& part : start.call.parts) {
    source.bytes += part.elements * size_of(start.call.dtype);
  }
  PlanProfile::WorkSources out;
  out.collective = profile.add_source(source);
  source.kind = Kind::start;
  source.name.insert(0, "start ");
  out.start = profile.add_source(source);
  source.kind = Kind::wait;
  source.name.replace(0, std::string_view("start").size(), "wait");
  out.wait = profile.add_source(source);
  return out;
}

}  // namespace

std::unique_ptr<PlanProfile> profile_plan(const Plan& plan, std::shared_ptr<Profile> profile) {
  if (profile == nullptr) return nullptr;
  auto out = std::make_unique<PlanProfile>();
  out->works.resize(static_cast<std::size_t>(plan.works));
  for (const Step& step : plan.steps) {
    if (const auto* launch = std::get_if<Launch>(&step)) {
      out->launches.push_back(add_launch(plan, *launch, *profile));
    } else if (const auto* start = std::get_if<CollectiveStart>(&step)) {
      out->works[static_cast<std::size_t>(start->work)] = add_collective(*start, *profile);
    }
  }
  out->run =
      profile->add_source({.name = "run " + plan.name, .category = "run", .plan = plan.name});
  out->memory = profile->counter_source("buffers in use", "bytes");
  out->arena = profile->counter_source("arena", "bytes");
  out->arena_bytes = plan.arena_bytes;
  out->profile = std::move(profile);
  return out;
}

}  // namespace tutti::codegen

#include <tutti/lazy/collectives.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/device.h>
#include <tutti/lazy/file_calls.h>
#include <tutti/lazy/files.h>
#include <tutti/lazy/static_members.h>
#include <tutti/runtime/are_truths.h>
#include <tutti/runtime/files/input_file.h>
#include <tutti/runtime/files/safetensors.h>
#include <tutti/runtime/files/write_file.h>
#include <tutti/runtime/log.h>
#include <tutti/runtime/new_file.h>

#include <memory>
#include <utility>

namespace tutti {

namespace fs = std::filesystem;

using detail::at_line_of_file;
using detail::RankContext;
using detail::TreeKind;
using detail::TreeLeaf;
using detail::TreeRef;
using runtime::SafetensorsFile;

namespace {

// Members that are no tensors stand in the metadata under such names.
constexpr std::string_view kMember = "tutti.";

// The tensors of one file.
class OpenFile {
 public:
  explicit OpenFile(const fs::path& path)
      : file_(path), header_(runtime::read_safetensors(file_)) {}

  const SafetensorsFile& header() const { return header_; }

  Tensor tensor(const std::string& name, bool mmap, Location where) {
    const SafetensorsFile::Entry& entry = header_.tensors.at(name);
    RankContext& context = RankContext::current();
    Tensor out(context.leaf(entry.type, mmap ? mapped(entry, where) : copied(entry, where), where));
    if (entry.type.dtype == DType::boolean) check_truths(name, out, where);
    if (context.default_device().is_cpu()) return out;
    out = to(Operand(out, where), context.default_device());
    detail::RankContext::current().flush(std::span(&out.state(), 1));
    return out;
  }

  // How many tensors were to be mapped and were not.
  std::size_t copies() const { return copies_; }

 private:
  std::shared_ptr<runtime::Buffer> copied(const SafetensorsFile::Entry& entry,
                                          Location where) const {
    const auto bytes = static_cast<std::size_t>(entry.type.bytes());
    auto buffer = RankContext::current().runtime().allocator.allocate(
        bytes, {.what = "tensor of a file", .where = where});
    file_.read(entry.begin, {buffer->data(), bytes});
    return buffer;
  }

  std::shared_ptr<runtime::Buffer> mapped(const SafetensorsFile::Entry& entry, Location where) {
    if (entry.begin % size_of(entry.type.dtype) != 0) {
      ++copies_;
      return copied(entry, where);
    }
    if (mapping_ == nullptr) mapping_ = file_.map();
    return runtime::Buffer::wrap(mapping_.get() + entry.begin,
                                 static_cast<std::size_t>(entry.type.bytes()),
                                 [mapping = mapping_](void* /*data*/) {});
  }

  void check_truths(const std::string& name, const Tensor& tensor, Location where) const {
    const auto bytes = detail::host_bytes(tensor, where);
    const std::span all(bytes.get(), static_cast<std::size_t>(tensor.elements()));
    if (runtime::are_truths(all)) return;
    throw ParseError(
        file_.path().string() + ": tensor '" + name + "' has a bool that is neither 0 nor 1",
        where);
  }

  runtime::InputFile file_;
  SafetensorsFile header_;
  std::shared_ptr<std::byte> mapping_;
  std::size_t copies_ = 0;
};

// One file, or those of an index.
class TensorFiles {
 public:
  TensorFiles(const fs::path& path, bool mmap, Location where)
      : path_(path), mmap_(mmap), where_(where) {
    if (path.extension() != ".json") {
      add(path);
      for (const auto& [name, entry] : files_.begin()->second->header().tensors) {
        file_of_.emplace(name, files_.begin()->second.get());
      }
      return;
    }
    for (const auto& [name, file] : runtime::read_safetensors_index(runtime::InputFile(path))) {
      OpenFile& found = add(path.parent_path() / file);
      if (!found.header().tensors.contains(name)) {
        throw ParseError(path.string() + ": " + file + " should have a tensor '" + name +
                         "', and has none");
      }
      file_of_.emplace(name, &found);
    }
  }
  TensorFiles(const TensorFiles&) = delete;
  TensorFiles& operator=(const TensorFiles&) = delete;

  std::map<std::string, ir::Type> types() const {
    std::map<std::string, ir::Type> out;
    for (const auto& [name, file] : file_of_) {
      out.emplace(name, file->header().tensors.at(name).type);
    }
    return out;
  }
  std::map<std::string, std::string> metadata() const {
    std::map<std::string, std::string> out;
    for (const auto& [path, file] : files_) {
      out.insert(file->header().metadata.begin(), file->header().metadata.end());
    }
    return out;
  }

  TensorMap tensors() {
    TensorMap out;
    for (const auto& [name, file] : file_of_) out.emplace(name, file->tensor(name, mmap_, where_));
    std::size_t copies = 0;
    for (const auto& [path, file] : files_) copies += file->copies();
    if (copies > 0) {
      runtime::warn(where_.text() + ": " + std::to_string(copies) + " of " +
                    std::to_string(out.size()) + " tensors of " + path_.string() +
                    " do not lie at a multiple of their element's size, and were copied");
    }
    return out;
  }

 private:
  OpenFile& add(const fs::path& path) {
    std::unique_ptr<OpenFile>& file = files_[path];
    if (file == nullptr) file = std::make_unique<OpenFile>(path);
    return *file;
  }

  const fs::path path_;
  const bool mmap_;
  const Location where_;
  std::map<fs::path, std::unique_ptr<OpenFile>> files_;
  std::map<std::string, OpenFile*> file_of_;
};

struct NamedTensors {
  std::vector<runtime::NamedType> types;
  std::vector<detail::StatePtr> states;
  std::map<std::string, std::string> members;
};

NamedTensors named_parts(TreeRef tree, Location where) {
  NamedTensors out;
  detail::walk_named_tree(tree, [&](const std::string& path, const TreeLeaf& leaf) {
    if (leaf.kind == TreeKind::size || leaf.kind == TreeKind::key) return;
    if (!leaf.is_tensor()) {
      const auto added =
          out.members.emplace(std::string(kMember) + path, detail::static_text(leaf));
      if (added.second) return;
      throw UsageError("save: two numbers or texts are called '" + path + "'", where);
    }
    detail::require_name(path, where);
    if (!leaf.has_value()) throw UsageError("save: '" + path + "' was never given a value", where);
    const Tensor tensor = leaf.as_tensor();
    detail::check_readable(*tensor.state(), where);
    out.types.push_back({path, tensor.state()->type});
    out.states.push_back(tensor.state());
  });
  return out;
}

// detail::mark_replicated of tensors of which `first` is one. What fails says why ranks compare.
std::vector<Tensor> marked_as_loaded(TreeRef tensors, const Group& group, const std::string& first,
                                     Location where) {
  const auto text = [&](const Error& error) {
    return "load: the tree knows '" + first +
           "' to be the same on several ranks, which load it together and compare what they have "
           "(a rank that loads alone, or another file, gives a tree of abstract() tensors): " +
           error.message();
  };
  try {
    return detail::mark_replicated(tensors, group, where);
  } catch (const CommError& error) {
    throw CommError(text(error), where);
  } catch (const UsageError& error) {
    throw UsageError(text(error), where);
  }
}

// Marks what the given tree knows to be the same on several ranks, by its types or by the texts
// beside tensors. They load it together: what a file gives is not known to be so. A rank that loads
// alone waits for the others, of whose calls it can't know.
void mark_as_known(TreeRef tree, const std::map<std::string, detail::WantedTensor>& given,
                   Location where) {
  const auto& mesh = RankContext::current().mesh();
  if (mesh == nullptr) return;
  struct Leaf {
    std::string path;
    TreeLeaf place;
    std::uint8_t dimensions;  // of the program's mesh
  };
  std::vector<Leaf> found;
  detail::walk_named_tree(tree, [&](const std::string& path, const TreeLeaf& leaf) {
    if (leaf.is_tensor()) {
      const ir::Replication known = given.at(path).type.replication;
      const int dimensions = known.literal ? 0 : known.dimensions & ir::all_dimensions(*mesh);
      found.push_back({path, leaf, static_cast<std::uint8_t>(dimensions)});
    } else if (leaf.is_fixed_text()) {
      // A part may happen to be the same, as of zeros.
      const detail::FixedText& placed = leaf.fixed_text();
      std::uint8_t& dimensions = found.back().dimensions;
      dimensions = static_cast<std::uint8_t>((dimensions & ~placed.varying) | placed.same);
    }
  });
  struct Leaves {
    TensorMap tensors;
    std::map<std::string, TreeLeaf> places;
  };
  std::map<std::uint8_t, Leaves> all;  // by dimensions
  for (const Leaf& leaf : found) {
    if (leaf.dimensions == 0) continue;
    Leaves& own = all[leaf.dimensions];
    own.tensors.emplace(leaf.path, leaf.place.as_tensor());
    own.places.emplace(leaf.path, leaf.place);
  }
  for (const auto& [dimensions, leaves] : all) {
    const ir::Group group = ir::mesh_group(*mesh, dimensions);
    std::vector<std::vector<std::int64_t>> partition;
    for (auto first = group.ranks.begin(); first != group.ranks.end(); first += group.stride) {
      partition.emplace_back(first, first + group.stride);
    }
    const std::vector<Tensor> marked =
        marked_as_loaded(detail::tree_ref(leaves.tensors), Group(partition, group.tag),
                         leaves.places.begin()->first, where);
    auto next = marked.begin();
    for (const auto& [name, place] : leaves.places) place.assign(*next++);
  }
}

}  // namespace

void detail::save_tree(TreeRef tree, const fs::path& path, const SaveOptions& options,
                       Location where) {
  detail::refuse_compiling("save", where);
  NamedTensors parts = named_parts(tree, where);
  for (const auto& [name, text] : options.metadata) {
    if (name.starts_with(kMember)) {
      throw UsageError("save: the metadata '" + name + "' begin with '" + std::string(kMember) +
                           "' as the tree's own numbers and texts do, for which load() wants a "
                           "place; another name is right",
                       where);
    }
    parts.members.emplace(name, text);
  }
  at_line_of_file(where, [&] {
    const runtime::SafetensorsHead head = runtime::safetensors_head(parts.types, parts.members);
    RankContext& context = RankContext::current();
    for (const StatePtr& state : parts.states) {
      if (!state->is_data()) context.check_owner(*state, where);
    }
    context.flush(parts.states);
    const fs::path target = runtime::file_to_write(path);
    runtime::NewFile file(target.string(), runtime::mode_to_write(target));
    file.write(head.bytes);
    for (const std::size_t i : head.order) {
      const auto bytes = host_bytes(Tensor(parts.states[i]), where);
      file.write({bytes.get(), static_cast<std::size_t>(parts.types[i].type.bytes())});
    }
    file.flush_to_disk();
    if (!file.finish()) {
      throw EnvironmentError(path.string() + ": cannot be written: " + file.failure());
    }
  });
}

void detail::load_tree(TreeRef tree, const fs::path& path, const LoadOptions& options,
                       Location where) {
  detail::refuse_compiling("load", where);
  at_line_of_file(where, [&] {
    TensorFiles files(path, options.mmap, where);
    const std::map<std::string, WantedTensor> wanted = wanted_tensors(tree, where);
    check_tensors(wanted, files.types(), options.cast, path.string(), where);
    assign_tensors(tree, files.tensors(), where);
    std::map<std::string, std::string> members;  // of the tree that was saved
    for (const auto& [key, text] : files.metadata()) {
      if (key.starts_with(kMember)) members.emplace(key.substr(kMember.size()), text);
    }
    walk_named_tree(tree, [&](const std::string& name, const TreeLeaf& leaf) {
      const bool is_static = leaf.kind == TreeKind::floating || leaf.kind == TreeKind::integer ||
                             leaf.kind == TreeKind::text;
      const auto found = is_static ? members.find(name) : members.end();
      if (found == members.end()) return;
      if (!set_static(leaf, found->second)) {
        if (leaf.is_fixed_text()) {
          throw UsageError(path.string() + ": '" + name + "' is " + found->second +
                           ", and in the tree " + leaf.text() +
                           "; load it as it was saved, then redistribute it");
        }
        throw ParseError(path.string() + ": '" + found->second.substr(0, 40) +
                         "' is no value of '" + name + "'");
      }
      members.erase(found);
    });
    if (!members.empty()) {
      throw UsageError(path.string() + " has " + std::to_string(members.size()) +
                       " numbers or texts that the tree has no place for, '" +
                       members.begin()->first + "' the first");
    }
    mark_as_known(tree, wanted, where);
  });
}

TensorMap load_tensors(const fs::path& path, const LoadOptions& options, std::source_location at) {
  detail::refuse_compiling("load_tensors", at);
  return at_line_of_file(at, [&] { return TensorFiles(path, options.mmap, at).tensors(); });
}

std::map<std::string, std::string> load_metadata(const fs::path& path, std::source_location at) {
  detail::refuse_compiling("load_metadata", at);
  return at_line_of_file(at, [&] { return TensorFiles(path, false, at).metadata(); });
}

}  // namespace tutti

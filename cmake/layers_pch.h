// Precompiled for all layers: the standard headers that they share, and the graph.
#pragma once

#include <tutti/ir/builder.h>
#include <tutti/ir/function.h>
#include <tutti/ir/graph.h>
#include <tutti/ir/text/print.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

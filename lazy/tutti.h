#pragma once

// Everything a program needs.
#include <tutti/lazy/coalesce.h>
#include <tutti/lazy/collectives.h>
#include <tutti/lazy/compile.h>
#include <tutti/lazy/control.h>
#include <tutti/lazy/create.h>
#include <tutti/lazy/custom_vjp.h>
#include <tutti/lazy/device.h>
#include <tutti/lazy/distributed_ops.h>
#include <tutti/lazy/dlpack.h>
#include <tutti/lazy/einsum.h>
#include <tutti/lazy/files.h>
#include <tutti/lazy/grad.h>
#include <tutti/lazy/group.h>
#include <tutti/lazy/in_place.h>
#include <tutti/lazy/indexing.h>
#include <tutti/lazy/lower.h>
#include <tutti/lazy/memory.h>
#include <tutti/lazy/mesh.h>
#include <tutti/lazy/nn.h>
#include <tutti/lazy/numpy_files.h>
#include <tutti/lazy/observe.h>
#include <tutti/lazy/operand.h>
#include <tutti/lazy/ops.h>
#include <tutti/lazy/optim.h>
#include <tutti/lazy/point_to_point.h>
#include <tutti/lazy/random.h>
#include <tutti/lazy/share.h>
#include <tutti/lazy/statistics.h>
#include <tutti/lazy/tensor.h>
#include <tutti/lazy/tensor_map.h>
#include <tutti/lazy/tree.h>
#include <tutti/lazy/windows.h>
#include <tutti/lazy/world.h>

#include <cmath>  // INFINITY, std::sqrt: numbers of nearly every program

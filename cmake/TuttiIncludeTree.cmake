# The layers' folders are at the top of the tree, but everybody, inside and outside, writes
# #include <tutti/ir/graph.h>. A folder of links in the build tree makes both true.

set(TUTTI_LAYERS ir kernels runtime codegen lazy)

file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include/tutti)
foreach(layer IN LISTS TUTTI_LAYERS)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${layer} ${PROJECT_BINARY_DIR}/include/tutti/${layer}
       SYMBOLIC)
endforeach()
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/lazy/tutti.h ${PROJECT_BINARY_DIR}/include/tutti/tutti.h
     SYMBOLIC)

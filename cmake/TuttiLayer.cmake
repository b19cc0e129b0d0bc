# tutti_layer(<name> [BELOW <layer>] [EXCLUDE <regex>...] [LIBRARIES <private libraries>...]
#             [DEFINITIONS <public definitions>...])
#
# Makes the static library tutti_<name> of every .cpp file in this folder and the folders in it, so
# that a new file needs no line here. EXCLUDE leaves out files by their path inside the layer.
function(tutti_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "BELOW" "EXCLUDE;LIBRARIES;DEFINITIONS")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS
       RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  foreach(regex IN LISTS arg_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX ${regex})
  endforeach()

  set(target tutti_${name})
  set(visibility PUBLIC)
  if(sources)
    add_library(${target} STATIC ${sources})
    target_link_libraries(${target}
      PRIVATE $<BUILD_INTERFACE:tutti_flags> ${arg_LIBRARIES})
    tutti_unity(${target})
    tutti_precompiled(${target})
  else()
    set(visibility INTERFACE)
    add_library(${target} INTERFACE)
  endif()
  add_library(tutti::${name} ALIAS ${target})

  target_compile_features(${target} ${visibility} cxx_std_20)
  target_compile_definitions(${target} ${visibility} ${arg_DEFINITIONS})
  target_include_directories(${target} ${visibility}
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include> $<INSTALL_INTERFACE:include>)
  if(arg_BELOW)
    target_link_libraries(${target} ${visibility} tutti_${arg_BELOW})
  endif()
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  set_property(GLOBAL APPEND PROPERTY TUTTI_LAYER_TARGETS ${target})
endfunction()

# tutti_program(<target> <sources>... ) makes a program above the layers, with all of them.
function(tutti_program target)
  add_executable(${target} ${ARGN})
  target_link_libraries(${target}
    PRIVATE tutti_flags tutti::tutti CLI11::CLI11 nlohmann_json::nlohmann_json)
endfunction()

# tutti_programs(<prefix> <list to append the targets to> [<entry to leave out>...]) makes one program of each .cpp file of
# this folder, and one of each folder in it. `04_train.cpp` and `04_train/` both become `train`.
function(tutti_programs prefix targets)
  file(GLOB entries CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *)
  list(REMOVE_ITEM entries "" ${ARGN})
  foreach(entry IN LISTS entries)
    if(IS_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/${entry})
      file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${entry}/*.cpp)
    elseif(entry MATCHES "\\.cpp$")
      set(sources ${entry})
    else()
      continue()
    endif()
    if(sources)
      get_filename_component(program ${entry} NAME_WE)
      string(REGEX REPLACE "^[0-9]+_" "" program ${program})
      tutti_program(${prefix}${program} ${sources})
      list(APPEND ${targets} ${prefix}${program})
    endif()
  endforeach()
  set(${targets} ${${targets}} PARENT_SCOPE)
endfunction()

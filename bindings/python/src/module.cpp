// The module: what each source binds, and the instruction set.
#include "row.hpp"

#include <pybind11/stl.h>

PYBIND11_MODULE(_broadside, module) {
    using namespace broadside::python;
    module.doc() = "What broadside/*.py makes its calls with; arguments are checked there.";
    py::register_exception_translator([](std::exception_ptr thrown) {
        try {
            if (thrown) std::rethrow_exception(thrown);
        } catch (const CapacityExceeded& error) {
            PyErr_SetString(PyExc_MemoryError, error.what());
        }
    });
    bind_pairs(module);
    bind_tree(module);
    bind_world(module);
    bind_kernels(module);
    bind_mesh(module);
    bind_scene(module);
    bind_movers(module);
    bind_stage(module);
    module.def("query_row", &query_row);
    module.def("cast_row", &cast_row);
    module.def("config_string", [] { return std::string(broadside::config_string()); });
    module.def("version", [] { return std::string(broadside::version_string()); });
    module.def("supported_isas", [] {
        std::vector<std::string> names;
        for (const broadside::Isa isa : broadside::supported_isas()) names.emplace_back(isa_name(isa));
        return py::tuple(py::list(py::cast(names)));
    });
    module.def("active_isa", []() -> py::object {
        const auto isa = broadside::active_isa();
        return isa ? py::object(py::str(isa_name(*isa))) : py::object(py::none());
    });
    module.def("set_active_isa", [](const std::string& name) {
        const auto isa = broadside::find_isa(name.c_str());
        return isa && broadside::set_active_isa(*isa) == broadside::Status::ok;
    });
}

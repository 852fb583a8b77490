//! The bindings: R objects to shapes and back, nothing else.

mod assertions;
mod conditions;
mod fast;
mod network;
mod r;
mod shapes;

use extendr_api::metadata::{Arg, Func};
use extendr_api::prelude::*;

/// Registers routines with R. They take R objects as they are and end in [`conditions::guard`]; extendr's own wrappers cost
/// several times as much, and lose the class of an error.
macro_rules! routines {
    ($($module:ident :: $name:ident ( $($argument:ident),* );)*) => {
        paste::paste! {$(
            #[allow(non_snake_case)]
            fn [<meta__ $name>](functions: &mut Vec<Func>) {
                functions.push(Func {
                    doc: "",
                    rust_name: stringify!($name),
                    mod_name: stringify!($name),
                    r_name: stringify!($name),
                    c_name: concat!("wrap__", stringify!($name)),
                    args: vec![$(Arg { name: stringify!($argument), arg_type: "SEXP", default: None }),*],
                    return_type: "SEXP",
                    func_ptr: $module::$name as *const u8,
                    // the R functions call the routines themselves, which spares a call
                    hidden: true,
                    invisible: None,
                });
            }
        )*}
    };
}

routines! {
    fast::broadcast_shapes(shapes, id);
    fast::resolve_dim(dim, shape, insert);
    fast::shape_to_str(x);
    fast::is_broadcastable(x, y);
    fast::align_shapes(x, y);
    fast::wrap_index(shape, index);
    fast::expand_shape(shape, size);
    fast::reshape_output_shape(shape_in, shape, from_function, id);
    fast::nothing(x, y);
    assertions::assert_shape(shape, null_ok, coerce, unknown_batch, len);
    assertions::assert_shapes(shapes, coerce, named, null_ok, unknown_batch);
    assertions::assert_known_dims(shape, dims, what, id);
    assertions::assert_dim_in_range(dim, true_dim, shape, id);
    assertions::assert_not_batch_dim(dim, shape, id);
    assertions::assert_ndim(shape, ndim, id, min, max);
    assertions::assert_positive_extent(extent, shape_in, id);
    assertions::assert_same_ndim(shapes, id);
    assertions::assert_same_batch_size(shapes, id);
    network::shapes_out(op, shapes_in, params, id);
    network::shape_ops();
    network::read_network_file(path);
    network::write_network_file(network, path);
    network::infer_nodes(nodes, input);
    network::format_shapes(shapes);
}

extendr_module! {
    mod torchshape;
    fn broadcast_shapes;
    fn resolve_dim;
    fn shape_to_str;
    fn is_broadcastable;
    fn align_shapes;
    fn wrap_index;
    fn expand_shape;
    fn reshape_output_shape;
    fn nothing;
    fn assert_shape;
    fn assert_shapes;
    fn assert_known_dims;
    fn assert_dim_in_range;
    fn assert_not_batch_dim;
    fn assert_ndim;
    fn assert_positive_extent;
    fn assert_same_ndim;
    fn assert_same_batch_size;
    fn shapes_out;
    fn shape_ops;
    fn read_network_file;
    fn write_network_file;
    fn infer_nodes;
    fn format_shapes;
}

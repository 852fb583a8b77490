// Without a reference from C the linker would drop the whole Rust library.
void R_init_torchshape_extendr(void *dll);

void R_init_torchshape(void *dll) {
  R_init_torchshape_extendr(dll);
}

// A plug-in for QEMU 6 to 9 (plug-in interface 1) that counts the instructions a program executes, and says the number
// on stderr when it ends.  The interface is declared here: Debian ships no header for it.
//
//     gcc -O2 -shared -fPIC tests/engine/kernels/instructions.c -o instructions.so
//     qemu-aarch64 -plugin ./instructions.so PROGRAM
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct qemu_plugin_tb;
extern void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
                                                  void (*)(uint64_t, struct qemu_plugin_tb*));
extern void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb*, int add, void* to,
                                                     uint64_t value);
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb*);
extern void qemu_plugin_register_atexit_cb(uint64_t id, void (*)(uint64_t, void*), void*);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;
static uint64_t executed;

static void translated(uint64_t id, struct qemu_plugin_tb* block) {
  (void)id;
  qemu_plugin_register_vcpu_tb_exec_inline(block, 0, &executed, qemu_plugin_tb_n_insns(block));
}

static void ended(uint64_t id, void* nothing) {
  (void)id;
  (void)nothing;
  fprintf(stderr, "instructions: %llu\n", (unsigned long long)executed);
}

__attribute__((visibility("default"))) int qemu_plugin_install(uint64_t id, const void* info,
                                                               int argc, char** argv) {
  (void)info;
  (void)argc;
  (void)argv;
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  qemu_plugin_register_atexit_cb(id, ended, NULL);
  return 0;
}

// Package install finds what tests need besides Go: the rung binary, built from
// this tree, and real servers where they are installed.
//
// Binary builds once per test process, or takes the file RUNG_BINARY names.
// Server returns the path of a program, or skips the test with one line; with
// RUNG_REQUIRE_SERVERS=1, as in CI, an absence fails. OVN does the same for a real OVN,
// which RUNG_OVN may lead to. Timing and Soak mark tests
// that need a quiet machine or a long time.
//
// Only tests and benchmarks import it.
package install

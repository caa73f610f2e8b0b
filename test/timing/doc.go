// Package timing measures the real program in a pseudo-terminal against the
// times the console promises. Its tests run alone on a quiet machine (make test-timing).
package timing

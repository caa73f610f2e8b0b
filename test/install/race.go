//go:build race

package install

// Raced reports whether the tests run under the race detector.
const Raced = true

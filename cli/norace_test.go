//go:build !race

package cli

// raced reports whether the tests run under the race detector.
const raced = false

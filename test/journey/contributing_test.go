//go:build unix

package journey_test

import (
	"testing"

	"rung/test/install"
	"rung/test/term"
)

// The journey that CONTRIBUTING.md shows.
func TestContributing(t *testing.T) {
	t.Parallel()
	d := term.Start(t, term.Options{Path: install.Binary(t), Args: []string{"demo"}, Width: 80, Height: 24})
	d.WaitFor("cluster-control")
	d.Press("down", "down", "enter").WaitFor("egress 0")
}

//go:build unix

package journey_test

import (
	"os"
	"path/filepath"
	"testing"
)

// TestNetworksOnTheScreen: a network is chosen on the ladder, its pods are asked about there, the matrix
// keeps it, and Esc leads back to the default network; at 80×24 and wide.
func TestNetworksOnTheScreen(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../examples-networks/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no examples", err)
	}
	for _, size := range [][2]int{{80, 24}, {160, 44}} {
		folder := short(t)
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(folder, filepath.Base(f)), string(text))
		}
		c := open(t, setup{files: []string{folder}, w: size[0], h: size[1]}).ready()
		c.press("H").sees("show on which network", "team-a_blue-net", "primary, layer 3, 3 pods")
		c.press("4").at("on team-a_blue-net").sees("not enforced on team-a_blue-net")
		c.press(":")
		c.Type("trace team-a/web-0 team-a/db-0 80 on team-a_blue-net")
		c.press("enter").at("trace team-a/web-0 → team-a/db-0 tcp 80 on team-a_blue-net").sees("denied", "team-a")
		c.press("esc").at("on team-a_blue-net")
		c.press(":")
		c.Type("matrix")
		c.press("enter").at("matrix").sees("on team-a_blue-net", "team-a")
		c.press("esc").at("on team-a_blue-net").press("esc").at("Ladder")
		c.press("H").sees("show on which network").press("esc")
		c.press(":")
		c.Type("ladder on team-a_blue-net")
		c.press("enter").at("on team-a_blue-net").sees("NP").press("esc").at("Ladder")
		c.press(":")
		c.Type("matrix on team-a_blue-net")
		c.press("enter").at("matrix on team-a_blue-net").press("esc").at("Ladder")
		c.quits()
	}
}

//go:build unix

package journey_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestUndoOfADeletionInItsFile: a policy between two others is deleted, and its file
// loses the document; after a restart the undo says where it goes, and the file is what
// it was, byte for byte.
func TestUndoOfADeletionInItsFile(t *testing.T) {
	t.Parallel()
	dir, home := short(t), short(t)
	file := filepath.Join(dir, "tenants.yaml")
	policy := func(name, priority, comment string) string {
		return "# " + comment + "\nkind: \"AdminNetworkPolicy\"   # first\napiVersion: policy.networking.k8s.io/v1alpha1\n" +
			"metadata: {name: '" + name + "'}\n\nspec:\n  # the place\n  priority:   " + priority + "\n  subject:\n    namespaces: {matchLabels: {team: " + name + "}}\n"
	}
	above, below := policy("alpha", "10", "the first"), policy("omega", "30", "the last")
	before := above + "---\n" + policy("middle", "20", "why it is there") + "# and this too\n--- # the next\n" + below
	write(t, file, before)
	write(t, filepath.Join(dir, "cluster.yaml"), "apiVersion: v1\nkind: Node\nmetadata: {name: worker}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: middle, labels: {team: middle}}\n")
	s := setup{files: []string{dir}, home: home, w: 80, h: 24, args: []string{"--write-back", "--traffic", "0"}}

	c := open(t, s).ready()
	c.sees("WRITES FILES").pick("middle").press("D").sees("Delete ANP middle", "is deleted").does("a", "Type middle to confirm")
	c.types("Type middle", "middle").at("Ladder").misses("─ middle")
	if got, want := read(t, file), above+"--- # the next\n"+below; got != want {
		t.Fatalf("the file is now\n%s\nwant\n%s", got, want)
	}
	c.quits()

	c = open(t, s).ready()
	c.press("U").sees("Undo: Delete ANP middle", "is restored", "goes back to where it was", "Apply?")
	if text := strings.Join(strings.Fields(c.Frame().Text()), " "); !strings.Contains(text, "tenants.yaml, between ANP alpha and ANP omega") {
		t.Errorf("the preview does not say where it goes:\n%s", c.Frame().Text())
	}
	c.does("a", "[ n no ]").answers("(files of", "y")
	c.at("Ladder").sees("─ middle")
	if got := read(t, file); got != before {
		t.Errorf("undo left\n%s\nwant\n%s", got, before)
	}
	c.quits()
}

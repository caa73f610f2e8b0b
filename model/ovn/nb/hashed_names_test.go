package nb

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The names that docs/ovn-kubernetes.md gives for ids are their hashed names.
func TestHashedNamesAsTold(t *testing.T) {
	text, err := os.ReadFile("../../../docs/ovn-kubernetes.md")
	if err != nil {
		t.Fatal(err)
	}
	told := regexp.MustCompile("`(?:H\\()?([DC]:[^`)]+)\\)?`(?: \\| |,\\s| =\\s)`(a[0-9]{15,20})`").FindAllStringSubmatch(string(text), -1)
	for _, m := range told {
		id, isDefault := strings.CutPrefix(m[1], "D:")
		if want := HashedName(DefaultController + ":" + id); isDefault && want != m[2] {
			t.Errorf("%s is %s, not %s", m[1], want, m[2])
		}
	}
	if len(told) < 12 {
		t.Errorf("only %d names found", len(told))
	}
}

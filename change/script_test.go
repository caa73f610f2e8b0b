package change_test

import (
	"testing"

	"rung/change"
	"rung/model"
	"rung/revision"
)

// The input of a command ends at its own end, whatever lines the text has.
func TestKubectlScript(t *testing.T) {
	key := func(name string) model.Key { return model.Key{Kind: model.KindANP, Name: name} }
	made := func(name, text string) change.ObjectChange {
		return change.ObjectChange{Key: key(name), New: &model.Policy{YAML: text}}
	}
	gone := change.ObjectChange{Key: key("gone"), Old: &model.Policy{}}
	for want, changes := range map[string][]change.ObjectChange{
		"kubectl apply -f - <<'EOF'\na: 1\n---\nb: 2\nEOF\nkubectl delete anp gone\n": {made("a", "a: 1\n"), made("b", "b: 2"), gone},
		"kubectl apply -f - <<'EOFF'\na: \"x\nEOF\necho made\"\nEOFF\n":               {made("a", "a: \"x\nEOF\necho made\"\n")},
	} {
		if got := change.KubectlScript(&revision.Revision{}, change.Mutation{Op: change.OpApply}, changes); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

package edit

import (
	"rung/model"
	"rung/sources/manifests"
)

// Rewrite changes the text of one policy, as Policy.YAML holds it, so that the
// policy means object (see Edit.Object). Only the text of what differs is
// touched; comments and order stay. It is an *Error when that cannot be
// done without touching more.
func Rewrite(text []byte, k model.Key, object any) ([]byte, error) {
	return rewrite("", text, []Edit{{Op: Set, Key: k, Origin: model.Origin{Item: -1}, Object: object}})
}

// Policy is a policy that means another typed object, in its own text, so that comments and
// order stay; where that cannot be done, in a text made anew. It is judged by the CRDs of by.
func Policy(old *model.Policy, object any, by manifests.Options) (*model.Policy, []model.Broken, error) {
	want, err := manifests.FromObject(object, old.Origin)
	if err != nil {
		return nil, nil, err
	}
	if text, err := Rewrite([]byte(old.YAML), old.Key, object); err == nil {
		if now, broken := by.ParsePolicy(text); now != nil && model.SameContent(now, want) {
			return now, broken, nil
		}
	}
	now, broken := by.ParsePolicy([]byte(want.YAML))
	return now, broken, nil
}

package manifests

import (
	"fmt"

	"rung/model"
)

// Tree is a policy as a tree of JSON values, integers as int64, made from its own
// text, so that nothing is in it that its author did not write. Status and what
// the API server keeps in metadata are left out. The tree is the caller's.
func Tree(p *model.Policy) (map[string]any, error) {
	obj, _, err := rawObject(p)
	if err != nil {
		return nil, fmt.Errorf("read the text of %s: %w", p.Key.Label(), err)
	}
	return tidy(obj), nil
}

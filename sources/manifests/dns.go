package manifests

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"rung/model/clean"
	"rung/sources/manifests/yamltree"
)

// ParseDNS reads what DNS names stand for, which no manifest says: a YAML or JSON
// mapping of names to lists of addresses. file is only named in errors.
func ParseDNS(file string, text []byte) (map[string][]string, error) {
	root, err := yamltree.ParseYAML(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if root == nil {
		return map[string][]string{}, nil
	}
	if root.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s: line %d: want a mapping of DNS names to lists of addresses", file, root.Line)
	}
	out := make(map[string][]string, len(root.Content)/2)
	for i := 0; i+1 < len(root.Content); i += 2 {
		name, list := clean.Text(yamltree.Str(root.Content[i])), root.Content[i+1]
		if _, twice := out[name]; name == "" || twice {
			return nil, fmt.Errorf("%s: line %d: %q: want a DNS name, each once", file, root.Content[i].Line, name)
		}
		if list.Kind != yaml.SequenceNode && !yamltree.IsNull(list) {
			return nil, fmt.Errorf("%s: line %d: %s: want a list of addresses", file, list.Line, name)
		}
		out[name] = nil
		for _, n := range yamltree.Items(list) {
			ip := canonicalIP(yamltree.Str(n))
			if ip == "" {
				return nil, fmt.Errorf("%s: line %d: %s: %q is not an address", file, n.Line, name, clean.Text(yamltree.Str(n)))
			}
			if !slices.Contains(out[name], ip) {
				out[name] = append(out[name], ip)
			}
		}
	}
	return out, nil
}

package model

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"sigs.k8s.io/yaml"
)

// unowned are parts of an object's metadata that the API server and its clients maintain. They do not count as
// differences.
var unowned = []string{"creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "generation",
	"managedFields", "resourceVersion", "selfLink", "uid", "ownerReferences"}

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// LastApplied returns kubectl's record of the last applied object, as JSON; empty without one.
func (p *Policy) LastApplied() string {
	if o, ok := p.Original.(interface{ GetAnnotations() map[string]string }); ok {
		return o.GetAnnotations()[lastApplied]
	}
	return ""
}

// AuthoredContent returns the policy as written by its author: name, labels, annotations and spec, without
// status and without the API server's fields. The caller owns the returned tree of JSON values.
func (p *Policy) AuthoredContent() map[string]any {
	if p == nil {
		return nil
	}
	var tree map[string]any
	if p.Original != nil {
		if b, err := json.Marshal(p.Original); err == nil {
			_ = json.Unmarshal(b, &tree)
		}
	}
	if tree == nil {
		_ = yaml.Unmarshal([]byte(p.YAML), &tree)
	}
	delete(tree, "status")
	delete(tree, "apiVersion") // absent from typed objects, and the same for all of a kind
	delete(tree, "kind")
	if md, ok := tree["metadata"].(map[string]any); ok {
		for _, f := range unowned {
			delete(md, f)
		}
		if a, ok := md["annotations"].(map[string]any); ok {
			delete(a, lastApplied)
		}
		for _, f := range []string{"annotations", "labels"} {
			if m, ok := md[f].(map[string]any); !ok || len(m) == 0 {
				delete(md, f)
			}
		}
	}
	return tree
}

// ContentDigest is a digest of a content, equal for equal contents. The zero Digest stands for no content.
type ContentDigest [16]byte

// String returns the digest in hexadecimal digits.
func (d ContentDigest) String() string { return hex.EncodeToString(d[:]) }

// PolicyDigests are digests of a policy's authored content: Whole includes the priority, Unplaced does not.
type PolicyDigests struct{ Whole, Unplaced ContentDigest }

// Digests returns the digests of the policy's content, computed unless the policy carries them.
func (p *Policy) Digests() PolicyDigests {
	switch {
	case p == nil:
		return PolicyDigests{}
	case p.Digested != (PolicyDigests{}):
		return p.Digested
	}
	tree := p.AuthoredContent()
	priority := ""
	if spec, ok := tree["spec"].(map[string]any); ok {
		if at, placed := spec["priority"]; placed {
			priority = "\x00" + CompactJSON(at)
			delete(spec, "priority")
		}
	}
	text := CompactJSON(tree)
	return PolicyDigests{Whole: hashContent(text + priority), Unplaced: hashContent(text)}
}

// SameContent reports whether two policies have the same authored content. Either may be nil.
func SameContent(a, b *Policy) bool {
	if a == b {
		return true
	}
	return a != nil && b != nil && a.Key == b.Key && a.Digests().Whole == b.Digests().Whole
}

func hashContent(text string) (d ContentDigest) {
	sum := sha256.Sum256([]byte(text))
	copy(d[:], sum[:])
	return d
}

// CompactJSON returns a tree of JSON values as text, with sorted keys.
func CompactJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v) // unreachable: the trees come from JSON
	}
	return string(b)
}

// LabelTemplateHash is a label of a Deployment's pods; their names contain its value.
const LabelTemplateHash = "pod-template-hash"

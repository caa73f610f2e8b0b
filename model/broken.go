package model

import (
	"fmt"
	"strconv"
	"strings"
)

// CodeNewer marks what an installed CRD has and OVN-Kubernetes' profile
// (ovn-kubernetes.md#feature-switch) has not.
const CodeNewer = "crd-newer"

// IsError says whether the object could not be taken in at all.
func (b Broken) IsError() bool { return b.Severity == "" || b.Severity == SeverityError }

// Where is the place an object was read, as people write it: file and line,
// then the document and the item of a List, counted from 0 as in Origin. It is
// only the line for text without a file (an editor's), and empty for an object
// that was not read from text.
func (o Origin) Where() string {
	switch {
	case o.File == "" && o.Line > 0:
		return "line " + strconv.Itoa(o.Line)
	case o.File == "":
		return ""
	}
	var b strings.Builder
	if o.File == "-" {
		b.WriteString("standard input")
	} else {
		b.WriteString(o.File)
	}
	if o.Line > 0 {
		b.WriteByte(':')
		b.WriteString(strconv.Itoa(o.Line))
		b.WriteString(" (document ")
		b.WriteString(strconv.Itoa(o.Doc))
		if o.Item >= 0 {
			b.WriteString(", item ")
			b.WriteString(strconv.Itoa(o.Item))
		}
		b.WriteByte(')')
	}
	return b.String()
}

// String is the whole story in one line: where, which object, which field, what
// is wrong, what to do.
func (b Broken) String() string {
	var parts []string
	for _, s := range []string{b.Origin.Where(), b.keyText(), b.Field, b.Message} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	s := strings.Join(parts, ": ")
	if b.Remedy != "" {
		s += "; " + b.Remedy
	}
	return s
}

// keyText is the key as far as it is known.
func (b Broken) keyText() string {
	switch {
	case b.Key == (Key{}):
		return ""
	case b.Key.Name == "":
		return string(b.Key.Kind)
	case b.Key.Kind == "":
		return b.Key.Name
	}
	return b.Key.String()
}

// ObjectOrigin says where an object that embeds Meta was read.
func (m *Meta) ObjectOrigin() Origin { return m.Origin }

// RuleAt is the rule that the field is of, as in spec.ingress[2].ports[0]; -1 for none.
func (b *Broken) RuleAt() (Direction, int) {
	for _, d := range Directions {
		if rest, ok := strings.CutPrefix(b.Field, "spec."+d.Lower()+"["); ok {
			n := 0
			if _, err := fmt.Sscanf(rest, "%d]", &n); err == nil {
				return d, n
			}
		}
	}
	return "", -1
}

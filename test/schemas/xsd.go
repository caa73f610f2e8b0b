package schemas

import (
	"encoding/xml"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// xsd is a schema of XML with the parts that these schemas have: global elements and types, sequences
// and choices of references, attributes of strings and of patterns. A type has "type " before
// its name.
type xsd map[string]*xsdNode

// xsdNode is an element, of a schema or of a document.
type xsdNode struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Children []xsdNode  `xml:",any"`
	Text     string     `xml:",chardata"`
}

// attr is the value of an attribute, empty where there is none.
func (n *xsdNode) attr(name string) string {
	for _, a := range n.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// child is the first child with a name, an empty one where there is none.
func (n *xsdNode) child(name string) *xsdNode {
	for i := range n.Children {
		if n.Children[i].XMLName.Local == name {
			return &n.Children[i]
		}
	}
	return &xsdNode{}
}

// readXSD reads a schema.
func readXSD(text []byte) (xsd, error) {
	var root xsdNode
	if err := xml.Unmarshal(text, &root); err != nil {
		return nil, err
	}
	out := xsd{}
	for i := range root.Children {
		n := &root.Children[i]
		name := n.attr("name")
		if n.XMLName.Local != "element" {
			name = "type " + name
		}
		out[name] = n
	}
	return out, nil
}

// check checks an element and all below it.
func (s xsd) check(n *xsdNode) error {
	name := n.XMLName.Local
	declared := s[name]
	if declared == nil {
		return fmt.Errorf("no element %s", name)
	}
	kind, named := declared.child("complexType"), declared.attr("type")
	switch {
	case named == "xs:string" && len(n.Children)+len(n.Attrs) > 0:
		return fmt.Errorf("%s is text alone", name)
	case named == "xs:string":
		return nil
	case named != "":
		kind = s["type "+named]
	}
	if kind.attr("mixed") != "true" && strings.TrimSpace(n.Text) != "" {
		return fmt.Errorf("%s has text %q", name, n.Text)
	}
	if err := s.checkAttributes(n, kind); err != nil {
		return err
	}
	names := ""
	for i := range n.Children {
		names += "<" + n.Children[i].XMLName.Local + ">"
		if err := s.check(&n.Children[i]); err != nil {
			return err
		}
	}
	want := "^" + contentPattern(kind) + "$"
	if !regexp.MustCompile(want).MatchString(names) {
		return fmt.Errorf("%s has %q, want %s", name, names, want)
	}
	return nil
}

// checkAttributes checks that the attributes that a type requires are there, and no others than it has.
func (s xsd) checkAttributes(n, kind *xsdNode) error {
	known := map[string]string{}
	for i := range kind.Children {
		a := &kind.Children[i]
		if a.XMLName.Local != "attribute" {
			continue
		}
		known[a.attr("name")] = a.attr("type")
		if a.attr("use") == "required" && !slices.ContainsFunc(n.Attrs, func(x xml.Attr) bool { return x.Name.Local == a.attr("name") }) {
			return fmt.Errorf("%s has no %s", n.XMLName.Local, a.attr("name"))
		}
	}
	for _, a := range n.Attrs {
		t, ok := known[a.Name.Local]
		if !ok {
			return fmt.Errorf("%s has an attribute %s", n.XMLName.Local, a.Name.Local)
		}
		if t == "xs:string" {
			continue
		}
		want := "^(?:" + s["type "+t].child("restriction").child("pattern").attr("value") + ")$"
		if !regexp.MustCompile(want).MatchString(a.Value) {
			return fmt.Errorf("%s=%q, want %s", a.Name.Local, a.Value, want)
		}
	}
	return nil
}

// contentPattern is the pattern of the names of children that a content model takes.
func contentPattern(n *xsdNode) string {
	var parts []string
	for i := range n.Children {
		c := &n.Children[i]
		p := ""
		switch c.XMLName.Local {
		case "element":
			p = "<" + regexp.QuoteMeta(c.attr("ref")+c.attr("name")) + ">"
		case "sequence", "choice":
			p = contentPattern(c)
		default:
			continue
		}
		low, high := c.attr("minOccurs") == "0", c.attr("maxOccurs") == "unbounded"
		parts = append(parts, "(?:"+p+")"+map[[2]bool]string{{true, true}: "*", {true, false}: "?", {false, true}: "+"}[[2]bool{low, high}])
	}
	if n.XMLName.Local == "choice" {
		return "(?:" + strings.Join(parts, "|") + ")"
	}
	return strings.Join(parts, "")
}

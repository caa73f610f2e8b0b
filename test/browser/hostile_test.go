package browser

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// hostileParts are what names are made of that want to be more than text, and letters of many scripts.
var hostileParts = []string{`<script>hit()</script>`, `"><img src=x onerror=hit()>`, `' onmouseover='hit()`, `</td></tr></table><script>hit()</script>`, `</style><script>hit()</script>`,
	`</script><script>hit()</script>`, `<!--`, `-->`, `<![CDATA[`, `&lt;script&gt;`, `&#60;script&#62;`, `javascript:hit()`, `<svg onload=hit()>`, `<a href=javascript:hit()>`, `<base href=//evil.example>`,
	`<meta http-equiv=refresh content=0>`, `<iframe srcdoc="<script>parent.hit()</script>">`, `${hit()}`, `{{hit()}}`, "`hit()`", `\u003cscript\u003ehit()`, `%3Cscript%3E`, "\u202e<tpircs>", "\u2066", "\u200b", "\x00", "\x1b[31m", "\ufeff",
	`<math><mi xlink:href="data:x,hit()">`, `<form action=//evil.example><input>`, `<template>`, `<plaintext>`, `<xmp>`, `<noscript>`, `<select><option>`, `]]>`, `&`, `<`, `>`, `"`, `'`, `=`, `/`,
	"Ελληνικά", "Русский", "العربية", "עברית", "हिन्दी", "ไทย", "中文", "日本語", "한국어", "ქართული", "👩‍💻", "e\u0301\u0301\u0301"}

// unseen are the characters of the parts that cannot be seen.
const unseen = "\u202e\u2066\u200b\x00\x1b\ufeff\u200d"

// hostileName is a name of up to 90 characters, the CRD's bound for the name of a rule being 100.
func hostileName(random *rand.Rand, i int) string {
	name := fmt.Sprint(i)
	for range 1 + random.IntN(4) {
		part := hostileParts[random.IntN(len(hostileParts))]
		if i >= 900 && strings.ContainsAny(part, unseen) {
			continue // statements with such names are refused
		}
		if len([]rune(name+part)) <= 90 {
			name += part
		}
	}
	return name
}

// harmlessName has the length of a name. It is refused wherever that is, and means nothing to a browser.
func harmlessName(i int, name string) string {
	return fmt.Sprint(i) + strings.Repeat("~", len([]rune(name))-len(fmt.Sprint(i)))
}

// quoted is a text in YAML.
func quoted(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r < ' ' || r == 0x7f || r == 0xfeff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}

// script is a text in a script.
func script(text string) string {
	raw, _ := json.Marshal(text) // of a string there are no errors
	return string(raw)
}

// cluster is manifests and statements with a name wherever a user may write any text: the names of 900
// rules, of 90 statements, in labels of pods, annotations, and of objects that are refused for them.
func cluster(t *testing.T, name func(i int) string) (dir, statements string) {
	t.Helper()
	var b, s strings.Builder
	doc := func(format string, args ...any) { fmt.Fprintf(&b, "---\n"+format, args...) }
	for _, ns := range []string{"a", "b"} {
		doc("apiVersion: v1\nkind: Namespace\nmetadata: {name: %s}\n", ns)
		doc("apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: %s}\nspec: {nodeName: w1, containers: [{name: c, image: i}]}\nstatus: {phase: Running, podIP: 10.0.0.%d, podIPs: [{ip: 10.0.0.%[2]d}]}\n", ns, int(ns[0]-'a')+1)
	}
	i := 0
	for p := range 9 {
		doc("apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata: {name: p%d, annotations: {k8s.ovn.org/acl-logging: %s}}\nspec:\n  priority: %[1]d\n  subject: {namespaces: {matchLabels: {kubernetes.io/metadata.name: a}}}\n  ingress:\n", p, quoted(name(1000+p)))
		for range 100 {
			fmt.Fprintf(&b, "  - {name: %s, action: Pass, from: [{namespaces: {matchLabels: {team: x}}}], ports: [{portNumber: {protocol: TCP, port: %d}}]}\n", quoted(name(i)), 1+i)
			i++
		}
	}
	for range 90 {
		fmt.Fprintf(&s, "- {name: %s, expect: allow, from: {namespace: a}, to: {namespace: b}, port: %d}\n", quoted(name(i)), 1+i)
		i++
	}
	for range 5 {
		doc("apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: %s, namespace: a}\nspec: {podSelector: {}}\n", quoted(name(i)))
		i++
	}
	for range 5 {
		doc("apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: ok%d, namespace: a}\nspec: {podSelector: {matchLabels: {app: %s}}}\n", i, quoted(name(i)))
		i++
	}
	dir = t.TempDir()
	for file, text := range map[string]string{"cluster.yaml": b.String(), "must.txt": s.String()} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir, filepath.Join(dir, "must.txt")
}

// TestHostileNames: names are text, whatever they say. A report of a cluster with 1,000 hostile names has
// the elements and attributes of one with harmless names, one by one.
func TestHostileNames(t *testing.T) {
	random := rand.New(rand.NewPCG(27, 1))
	var names [1010]string
	for i := range names {
		names[i] = hostileName(random, i)
	}
	structure := func(name func(int) string) (out []string, texts string, title string) {
		dir, statements := cluster(t, name)
		file := filepath.Join(t.TempDir(), "report.html")
		text := rung(t, "report", "-o", "html", "-f", dir, "--expectations", statements, "--at-time", "2026-11-27T09:00:00Z")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		b := open(t, file, 1200, 900, false)
		if got := eval[string](b, `typeof hit + " " + document.scripts.length + " " + document.styleSheets.length`); got != "undefined 1 1" {
			t.Errorf("scripts and styles: %s", got)
		}
		b.checkQuiet()
		// The browser's own tree, before its script adds anything: the file again, without scripts.
		root, err := html.Parse(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		shape := eval[string](b, `JSON.stringify([...new DOMParser().parseFromString(`+script(text)+`, "text/html").querySelectorAll("*")].map(e => e.tagName.toLowerCase() + " " + [...e.attributes].map(a => a.name).join(",")))`)
		for n := range root.Descendants() {
			switch {
			case n.Type == html.ElementNode:
				line := n.Data
				for _, a := range n.Attr {
					line += " " + a.Key
					switch a.Key {
					case "aria-label", "title", "data-sort", "data-cells": // of texts, which the names are in
					default:
						line += "=" + a.Val
					}
				}
				out = append(out, line)
			case n.Type == html.CommentNode:
				t.Errorf("a comment: %q", n.Data)
			case n.Type == html.TextNode && n.Parent.Data != "script" && n.Parent.Data != "style":
				texts += n.Data + "\n"
			}
		}
		return out, texts, shape
	}
	want, _, wantShape := structure(func(i int) string { return harmlessName(i, names[i]) })
	got, texts, gotShape := structure(func(i int) string { return names[i] })
	if gotShape != wantShape {
		t.Error("the browser reads other elements or attributes")
	}
	if len(got) != len(want) {
		t.Errorf("%d elements, want %d", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Errorf("element %d is %.300q, want %.300q", i, got[i], want[i])
			break
		}
	}
	shown, others := 0, 0
	for i := range 990 {
		switch {
		case strings.ContainsAny(names[i], unseen):
			others++ // what cannot be seen is written otherwise
		case strings.Contains(texts, names[i]):
			shown++
		default:
			t.Errorf("name %d is not shown: %q", i, names[i])
		}
	}
	if shown < 500 || others < 100 {
		t.Errorf("%d names are shown, %d have what cannot be seen", shown, others)
	}
	t.Logf("%d elements, %d names shown", len(got), shown)
}

package form

import (
	"bytes"
	"encoding/json"
	"testing"
	"text/template"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

const templateData = `{"name":"a","n":3,"half":0.5,"on":true,"off":false,"nil":null,"text":"<b>&'x'","empty":"","none":[],
"list":[{"id":1,"tags":["p","q"]},{"id":2,"tags":[]},{"id":3}],"map":{"z":1,"a":2},"deep":{"er":{"est":"x"}},"b64":"YQ=="}`

// Templates of every construct print what Go's own package makes of them, and fail where it does.
func TestTemplatesAreGos(t *testing.T) {
	for _, text := range []string{
		`plain`, `{{.name}} {{.n}} {{.half}} {{.on}} {{.nil}} {{.nothing}} {{.nothing.at.all}}`, `{{.}}`, `{{.list}} {{.map}}`,
		`{{/* a comment */}}{{- .name -}}  x`, `{{.deep.er.est}} {{(.deep).er}} {{(index .list 0).id}}`, `{{$}} {{$.name}}`,
		`{{if .on}}yes{{else}}no{{end}}{{if .off}}yes{{else if .n}}n{{else}}no{{end}}`,
		`{{if .nil}}1{{end}}{{if .empty}}2{{end}}{{if .none}}3{{end}}{{if .nothing}}4{{end}}{{if .map}}5{{end}}{{if .half}}6{{end}}`,
		`{{with .deep}}{{.er.est}}{{else}}none{{end}}{{with .nil}}x{{else}}{{.name}}{{end}}{{with $x := .n}}{{$x}}{{end}}`,
		`{{range .list}}{{.id}}:{{range .tags}}{{.}},{{else}}none{{end}};{{end}}`, `{{range .nothing}}x{{else}}nothing{{end}}`,
		`{{range $i, $x := .list}}{{$i}}={{$x.id}} {{end}}`, `{{range $k, $v := .map}}{{$k}}={{$v}} {{end}}`, `{{range $x := .list}}{{$x.id}}{{end}}`,
		`{{range .list}}{{if eq .id 2}}{{continue}}{{end}}{{.id}}{{end}}`, `{{range .list}}{{if eq .id 2}}{{break}}{{end}}{{.id}}{{end}}`,
		`{{range 3}}{{.}}{{end}}{{range .n}}{{.}}{{end}}`, `{{$x := 1}}{{range .list}}{{$x = .id}}{{end}}{{$x}}`, `{{$a := .name}}{{if .on}}{{$a := 5}}{{$a}}{{end}}{{$a}}`,
		`{{define "t"}}[{{.id}}]{{end}}{{range .list}}{{template "t" .}}{{end}}`, `{{block "b" .deep}}{{.er.est}}{{end}}`, `{{template "nope"}}`,
		`{{define "t"}}{{template "t"}}{{end}}{{template "t"}}`,
		`{{len .list}} {{len .name}} {{len .map}} {{len .nil}}`, `{{len .n}}`, `{{index .list 1}} {{index .map "z"}} {{index .map "q"}} {{index .name 0}}`,
		`{{index .list 9}}`, `{{index .list "x"}}`, `{{index .nil 0}}`, `{{index .n 0}}`, `{{index .list 0 "tags" 1}}`, `{{index .map 1}}`,
		`{{slice .name 0 1}} {{slice .list 1}} {{slice .list 1 2}}`, `{{slice .list 2 1}}`, `{{slice .list 0 9}}`, `{{slice .map 0}}`,
		`{{print .name .n}} {{println "x" 1}} {{printf "%s-%d-%v-%q" .name .n .half .text}} {{print .nil}}`, `{{printf "%5.1f|%05d" 1.5 7}}`, `{{print 1 2 "x" "y"}}`,
		`{{html .text}} {{urlquery .text}} {{html .nil}}`, `{{.text | html | printf "%q"}}`, `{{"a" | printf "%s%s" "b"}}`,
		`{{eq .n 3}} {{eq .name "b" "a"}} {{ne .n 4}} {{lt .n 4}} {{le .n 3}} {{gt .half 0.1}} {{ge .name "a"}} {{eq .on true}} {{eq .nil nil}} {{eq .name nil}}`,
		`{{eq .n "x"}}`, `{{eq .n 0.5}}`, `{{lt .on .off}}`, `{{eq .list .list}}`, `{{lt .n nil}}`, `{{eq .n}}`, `{{eq .nothing nil}}`,
		`{{and .on .n}} {{and .off .n}} {{or .off .name}} {{or .on .nil.x}} {{and .off .nil.x}} {{not .on}} {{and .off}} {{or .empty}}`, `{{.n | and .on}} {{.n | or .off}}`,
		`{{.nil.x}}`, `{{.n.x}}`, `{{.name.x}}`, `{{.list.x}}`, `{{.name "x"}}`, `{{1 | .name}}`, `{{nil}}`, `{{true}} {{1}} {{1.5}} {{"s"}} {{'a'}} {{0x10}} {{1e3}}`,
		`{{range .name}}x{{end}}`, `{{range .half}}x{{end}}`, `{{range .on}}x{{end}}`, `{{not .a .b}}`, `{{.list | len}}`, `{{(len .list) | printf "%d"}}`,
		`{{$x}}`, `{{if}}`, `{{range}}`, `{{end}}`, `{{nope}}`, `{{.name`, `{{break}}`, `{{with .name}}{{.}}{{$.n}}{{end}}`,
		"{{range .list}}{{.id}}\n{{end -}}\n tail", `{{with .nil}}a{{else with .name}}{{.}}{{end}}`, `{{"\u00e9\n"}}{{` + "`raw`" + `}}`,
	} {
		var data any
		if err := utiljson.Unmarshal([]byte(templateData), &data); err != nil {
			t.Fatal(err)
		}
		var want, got bytes.Buffer
		theirs, wantErr := template.New("template").Parse(text)
		if wantErr == nil {
			wantErr = theirs.Execute(&want, data)
		}
		ours, err := parseTemplate(text)
		if err == nil {
			err = ours(&got, data)
		}
		if (err != nil) != (wantErr != nil) || err == nil && got.String() != want.String() {
			t.Errorf("%s\n%q, %v\nGo's: %q, %v", text, got.String(), err, want.String(), wantErr)
		}
	}
	if !json.Valid([]byte(templateData)) {
		t.Error("the data is no JSON")
	}
}

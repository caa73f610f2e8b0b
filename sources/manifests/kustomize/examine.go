package kustomize

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"rung/model/clean"
	"rung/sources/reading"
)

// fileLimit bounds a kustomization, in bytes; mostFolders how many may hang together.
const (
	fileLimit   = 4 << 20
	mostFolders = 1000
)

// pathFields are the fields, of a kustomization and of what its generators and transformers are
// configured with, that name files and folders.
var pathFields = []string{"resources", "bases", "components", "crds", "configurations", "generators", "transformers", "validators",
	"patchesStrategicMerge", "path", "files", "envs", "env"}

// ownConfigs are the fields whose files name files again.
var ownConfigs = []string{"generators", "transformers", "validators"}

// chartFields are the fields that have kustomize run helm.
var chartFields = []string{"helmCharts", "helmChartInflationGenerator"}

// examiner looks at kustomizations before kustomize does.
type examiner struct {
	seen map[string]bool
}

// examine says why a kustomization may not be rendered: something in it, or in one that it names,
// is remote, a chart, or lies outside.
func examine(dir string) error {
	return (&examiner{seen: map[string]bool{}}).examineFolder(dir)
}

func (x *examiner) examineFolder(dir string) error {
	id, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	file := FileOf(dir)
	if x.seen[id] || file == "" {
		return nil // kustomize says what is missing
	}
	x.seen[id] = true
	if len(x.seen) > mostFolders {
		return fmt.Errorf("more than %d kustomizations hang together", mostFolders)
	}
	return x.examineFile(dir, file)
}

// examineFile looks at a kustomization, or at the configuration of a generator or transformer.
func (x *examiner) examineFile(dir, file string) error {
	text, err := reading.ReadRegular(file, fileLimit)
	if err != nil {
		return fmt.Errorf("%s: %w", clean.Text(file), reading.ReasonOf(err))
	}
	return x.examineText(dir, file, text)
}

func (x *examiner) examineText(dir, file string, text []byte) error {
	for d := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var root yaml.Node
		err := d.Decode(&root)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: is not YAML: %s", clean.Text(file), clean.Line(err.Error()))
		}
		if err := x.examineNode(dir, file, "", &root, 0); err != nil {
			return err
		}
	}
}

// examineNode looks at a value; field is the nearest field of pathFields that it is in.
func (x *examiner) examineNode(dir, file, field string, n *yaml.Node, depth int) error {
	if depth > 100 {
		return fmt.Errorf("%s: nested too deeply", clean.Text(file))
	}
	switch n.Kind {
	case yaml.AliasNode:
		return fmt.Errorf("%s:%d: an alias, which Rung does not follow in a kustomization", clean.Text(file), n.Line)
	case yaml.ScalarNode:
		if field != "" {
			return x.examineEntry(dir, file, field, n)
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, in := n.Content[i].Value, field
			if slices.Contains(chartFields, key) {
				return fmt.Errorf("%s:%d: %s: Rung inflates no charts; use helm template CHART | rung … -f -", clean.Text(file), n.Content[i].Line, key)
			}
			if slices.Contains(pathFields, key) {
				in = key
			}
			if err := x.examineNode(dir, file, in, n.Content[i+1], depth+1); err != nil {
				return err
			}
		}
	default:
		for _, e := range n.Content {
			if err := x.examineNode(dir, file, field, e, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// examineEntry looks at one name of a file or folder, or at an object that stands in its place.
func (x *examiner) examineEntry(dir, file, field string, n *yaml.Node) error {
	entry := n.Value
	if strings.Contains(entry, "\n") {
		if slices.Contains(ownConfigs, field) {
			return x.examineText(dir, file, []byte(entry))
		}
		return nil
	}
	if field == "files" {
		if _, path, ok := strings.Cut(entry, "="); ok { // KEY=PATH
			entry = path
		}
	}
	fail := func(why string) error {
		return fmt.Errorf("%s:%d: %s: %s %s", clean.Text(file), n.Line, field, clean.Text(entry), why)
	}
	if isRemote(entry) {
		return fail("wants the network, which Rung does not use for a kustomization")
	}
	path := entry
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, entry)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil // kustomize says so
	case info.IsDir():
		return x.examineFolder(path)
	case leaves(dir, path):
		return fail("leaves the folder of the kustomization, which kubectl refuses, too")
	case slices.Contains(ownConfigs, field):
		return x.examineFile(dir, path)
	}
	return nil
}

// leaves says whether a file is not in a folder or below it, links followed.
func leaves(dir, path string) bool {
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return true
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return true
	}
	if root, err = filepath.Abs(root); err != nil {
		return true
	}
	if real, err = filepath.Abs(real); err != nil {
		return true
	}
	rel, err := filepath.Rel(root, real)
	return err != nil || !filepath.IsLocal(rel)
}

// isRemote says whether kustomize would fetch an entry: a URL, or a repository in one of the forms
// that it knows.
func isRemote(entry string) bool {
	text := strings.ToLower(strings.TrimSpace(entry))
	if u, err := url.Parse(text); err == nil && u.Scheme != "" && len(u.Scheme) > 1 { // not the letter of a disk
		return true
	}
	first, _, _ := strings.Cut(text, "/")
	return strings.Contains(text, "://") || strings.HasPrefix(text, "git::") || strings.HasPrefix(text, "github.com") || strings.HasPrefix(text, "gh:") ||
		strings.ContainsAny(first, "@:") && !filepath.IsAbs(entry) && filepath.VolumeName(entry) == ""
}

// Command gen writes the CRDs of an earlier release of network-policy-api as that release has
// them, without descriptions, as controller-gen writes those of today.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"go.yaml.in/yaml/v3"
)

const (
	module  = "sigs.k8s.io/network-policy-api"
	release = "v0.1.5"
)

func main() {
	out := flag.String("out", ".", "folder to write to")
	flag.Parse()
	if err := generate(context.Background(), *out); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// generate downloads the release as a module, outside of Rung's own, which needs another one.
func generate(ctx context.Context, out string) error {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", module+"@"+release)
	cmd.Dir, cmd.Stderr = os.TempDir(), os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("downloading %s %s: %w: %s", module, release, err, text)
	}
	var got struct{ Dir string }
	if err := json.Unmarshal(text, &got); err != nil {
		return fmt.Errorf("reading what go mod download says: %w", err)
	}
	for _, kind := range []string{"adminnetworkpolicies", "baselineadminnetworkpolicies"} {
		name := "policy.networking.k8s.io_" + kind
		text, err := os.ReadFile(filepath.Join(got.Dir, "config/crd/experimental", name+".yaml"))
		if err != nil {
			return fmt.Errorf("reading the CRD: %w", err)
		}
		if text, err = bare(text); err != nil {
			return fmt.Errorf("the CRD of %s: %w", kind, err)
		}
		text = slices.Concat([]byte("# Of "+module+" "+release+", config/crd/experimental, without descriptions.\n# Licensed under Apache-2.0.\n"), text)
		if err := os.WriteFile(filepath.Join(out, name+"."+release+".yaml"), text, 0o644); err != nil {
			return fmt.Errorf("writing the CRD: %w", err)
		}
	}
	return nil
}

// bare is a CRD without descriptions.
func bare(text []byte) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("parsing: %w", err)
	}
	strip(&doc)
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(&doc); err != nil {
		return nil, fmt.Errorf("writing: %w", err)
	}
	return b.Bytes(), nil
}

// strip takes descriptions out: texts, not a field of that name.
func strip(n *yaml.Node) {
	if n.Kind == yaml.MappingNode {
		for i := 0; i < len(n.Content); {
			if n.Content[i].Value == "description" && n.Content[i+1].Kind == yaml.ScalarNode {
				n.Content = slices.Delete(n.Content, i, i+2)
				continue
			}
			i += 2
		}
	}
	for _, c := range n.Content {
		strip(c)
	}
}

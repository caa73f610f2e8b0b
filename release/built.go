package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// built is what GoReleaser says it has built.
type built struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`

	Artefacts []artefact `json:"-"`
}

// artefact is one file of a release.
type artefact struct {
	Type string `json:"type"`
	OS   string `json:"goos"`
	Arch string `json:"goarch"`
	Path string `json:"path"` // from the folder of the source
}

// readBuilt reads GoReleaser's metadata of a release.
func readBuilt(dist string) (*built, error) {
	var out built
	for name, into := range map[string]any{"metadata.json": &out, "artifacts.json": &out.Artefacts} {
		text, err := os.ReadFile(filepath.Join(dist, name))
		if err != nil {
			return nil, fmt.Errorf("reading what was built: %w", err)
		}
		if err := json.Unmarshal(text, into); err != nil {
			return nil, fmt.Errorf("reading what was built: %s: %w", name, err)
		}
	}
	return &out, nil
}

// checksumFile lists the digest of every artefact, as sha256sum --check reads it.
const checksumFile = "checksums.txt"

// artefactFiles are the files that people take from a release, from its folder. GoReleaser leaves
// its own notes and the bare binaries beside them.
func artefactFiles(dist string) ([]string, error) {
	var out []string
	for _, pattern := range []string{"*.tar.gz", "*.tar.xz", "*.zip", "*.deb", "*.rpm", "*.apk", "*.tar", "*.cdx.json",
		"krew/*.yaml", "homebrew/*.rb"} {
		found, err := filepath.Glob(filepath.Join(dist, pattern))
		if err != nil {
			return nil, fmt.Errorf("looking for artefacts: %w", err)
		}
		for _, path := range found {
			rel, err := filepath.Rel(dist, path)
			if err != nil {
				return nil, fmt.Errorf("looking for artefacts: %w", err)
			}
			out = append(out, filepath.ToSlash(rel))
		}
	}
	slices.Sort(out)
	return out, nil
}

// writeChecksums writes the digests of all artefacts.
func writeChecksums(dist string) error {
	files, err := artefactFiles(dist)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, name := range files {
		sum, err := digest(filepath.Join(dist, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s\n", sum, name)
	}
	if err := os.WriteFile(filepath.Join(dist, checksumFile), []byte(b.String()), 0o644); err != nil {
		return fmt.Errorf("writing checksums: %w", err)
	}
	return nil
}

// digest is the SHA-256 of a file, in hexadecimal.
func digest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("computing a digest: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("computing the digest of %s: %w", path, err)
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}

package kustomize

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"rung/model/clean"
	"rung/sources/reading"
)

// Names are the names that a kustomization's file may have.
var Names = []string{"kustomization.yaml", "kustomization.yml", "Kustomization"}

// FileOf is the file of the kustomization in a folder, empty where there is none.
func FileOf(dir string) string {
	for _, name := range Names {
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			return file
		}
	}
	return ""
}

// Check says why a folder is no kustomization, nil if it is one.
func Check(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is a file: -k takes the folder of a kustomization", clean.Text(dir))
	case FileOf(dir) == "":
		return fmt.Errorf("there is no kustomization.yaml in %s", clean.Text(dir))
	}
	return nil
}

// Render returns the objects of a kustomization as YAML, of at most limit bytes, with --- between
// them. Kustomize itself cannot be ended: it is left behind when ctx ends.
func Render(ctx context.Context, dir string, limit int64) ([]byte, error) {
	if err := Check(dir); err != nil {
		return nil, err
	}
	if err := examine(dir); err != nil {
		return nil, err
	}
	type rendered struct {
		text []byte
		err  error
	}
	done := make(chan rendered, 1)
	go func() {
		text, err := run(dir)
		done <- rendered{text, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case r := <-done:
		if r.err == nil && int64(len(r.text)) > limit {
			return nil, fmt.Errorf("is larger than the limit of %s once rendered", reading.SizeText(limit))
		}
		return r.text, r.err
	}
}

// run is kustomize with the options of kubectl: files in and below the root, no plugins, no helm.
func run(dir string) (text []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("kustomize failed: %s", clean.Line(fmt.Sprint(p)))
		}
	}()
	objects, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		return nil, errors.New("kustomize: " + clean.Line(strings.Join(strings.Fields(err.Error()), " ")))
	}
	return objects.AsYaml()
}

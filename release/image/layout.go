package image

import (
	"archive/tar"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// writeLayout writes a layout with one index, named by the version, as a tar in which every file
// has the date of the image.
func writeLayout(path string, index v1.ImageIndex, spec Spec) (err error) {
	dir, err := os.MkdirTemp("", "rung-image")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	top := mutate.AppendManifests(mutate.IndexMediaType(empty.Index, types.OCIImageIndex), mutate.IndexAddendum{Add: index, Descriptor: v1.Descriptor{
		Annotations: map[string]string{"org.opencontainers.image.ref.name": spec.Version, "io.containerd.image.name": "rung:" + spec.Version},
	}})
	if _, err := layout.Write(dir, top); err != nil {
		return err
	}
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	w := tar.NewWriter(out)
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		h := tar.Header{Typeflag: tar.TypeDir, Name: filepath.ToSlash(rel) + "/", Mode: 0o755, ModTime: spec.Date, Format: tar.FormatPAX}
		if d.IsDir() {
			return w.WriteHeader(&h)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		h.Typeflag, h.Name, h.Mode, h.Size = tar.TypeReg, filepath.ToSlash(rel), 0o644, int64(len(text))
		if err := w.WriteHeader(&h); err != nil {
			return err
		}
		_, err = w.Write(text)
		return err
	})
	return errors.Join(err, w.Close())
}

package image

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Spec says what an image is made of.
type Spec struct {
	Version, Commit string
	Date            time.Time // of everything in it
	URL             string    // of the project
	Binaries        map[string]string
	Docs            map[string]string // files below usr/share/doc/rung, by name
}

// User is the user and the group that the program runs as, and home its folder.
const (
	User = 65532
	home = "home/rung"
)

// Write writes the image for linux and the architectures of Spec.Binaries into a tar file.
func Write(path string, spec Spec) error {
	if len(spec.Binaries) == 0 {
		return fmt.Errorf("making %s: no program for it was built", path)
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, arch := range slices.Sorted(maps.Keys(spec.Binaries)) {
		img, err := spec.build(arch)
		if err != nil {
			return fmt.Errorf("making the image for linux/%s: %w", arch, err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{
			Platform: &v1.Platform{OS: "linux", Architecture: arch},
		}})
	}
	index = mutate.Annotations(index, spec.labels()).(v1.ImageIndex)
	if err := writeLayout(path, index, spec); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// labels are those that the Open Container Initiative has names for.
func (s *Spec) labels() map[string]string {
	return map[string]string{
		"org.opencontainers.image.title":       "rung",
		"org.opencontainers.image.description": "Operations console for AdminNetworkPolicy on OVN-Kubernetes",
		"org.opencontainers.image.version":     s.Version,
		"org.opencontainers.image.revision":    s.Commit,
		"org.opencontainers.image.created":     s.Date.Format(time.RFC3339),
		"org.opencontainers.image.licenses":    "Apache-2.0",
		"org.opencontainers.image.vendor":      "The Rung Authors",
		"org.opencontainers.image.url":         s.URL,
		"org.opencontainers.image.source":      s.URL,
	}
}

// build is the image for an architecture: one layer.
func (s *Spec) build(arch string) (v1.Image, error) {
	files, err := s.layer(arch)
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(files)), nil },
		tarball.WithCompressionLevel(gzip.BestCompression), tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	img, err := mutate.Append(mutate.MediaType(mutate.ConfigMediaType(empty.Image, types.OCIConfigJSON), types.OCIManifestSchema1),
		mutate.Addendum{Layer: layer, MediaType: types.OCILayer, History: v1.History{Created: v1.Time{Time: s.Date}, CreatedBy: "make release"}})
	if err != nil {
		return nil, err
	}
	config, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = "linux", arch, v1.Time{Time: s.Date}
	config.Config = v1.Config{
		User: fmt.Sprintf("%d:%d", User, User), WorkingDir: "/" + home, Entrypoint: []string{"/usr/bin/rung"},
		Env: []string{"PATH=/usr/bin", "HOME=/" + home}, Labels: s.labels(),
	}
	return mutate.ConfigFile(img, config)
}

// layer is the tar of the files for an architecture.
func (s *Spec) layer(arch string) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	var failed error
	add := func(h tar.Header, text []byte) {
		h.Size, h.ModTime, h.Format = int64(len(text)), s.Date, tar.FormatPAX
		if failed == nil {
			failed = w.WriteHeader(&h)
		}
		if failed == nil {
			_, failed = w.Write(text)
		}
	}
	dir := func(name string, mode int64, owner int) {
		add(tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: mode, Uid: owner, Gid: owner}, nil)
	}
	file := func(name string, mode int64, text []byte) {
		add(tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode}, text)
	}
	for _, name := range []string{"etc", "home", "usr", "usr/bin", "usr/share", "usr/share/doc", "usr/share/doc/rung"} {
		dir(name, 0o755, 0)
	}
	dir("tmp", 0o1777, 0)
	dir(home, 0o700, User)
	file("etc/passwd", 0o644, fmt.Appendf(nil, "root:x:0:0:root:/:/sbin/nologin\nrung:x:%d:%d:rung:/%s:/sbin/nologin\n", User, User, home))
	file("etc/group", 0o644, fmt.Appendf(nil, "root:x:0:\nrung:x:%d:\n", User))
	for _, name := range slices.Sorted(maps.Keys(s.Docs)) {
		text, err := os.ReadFile(s.Docs[name])
		if err != nil {
			return nil, err
		}
		file("usr/share/doc/rung/"+name, 0o644, text)
	}
	program, err := os.ReadFile(s.Binaries[arch])
	if err != nil {
		return nil, err
	}
	file("usr/bin/rung", 0o755, program)
	add(tar.Header{Typeflag: tar.TypeSymlink, Name: "usr/bin/kubectl-rung", Linkname: "rung", Mode: 0o777}, nil)
	if failed == nil {
		failed = w.Close()
	}
	return b.Bytes(), failed
}

package manifests

import "testing"

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		arg  string
		kind Kind
		name string
		bad  bool
	}{
		{"shop/a.yaml", File, "shop/a.yaml", false}, {"./git:main", File, "./git:main", false}, {"-", Stdin, "-", false},
		{"git:main:shop", Git, "main:shop", false}, {"git:-x", Git, "-x", true}, {"context:prod", Context, "prod", false},
		{"kustomize:shop", File, "kustomize:shop", true}, {"kustomize:", File, "kustomize:", true}, {"./kustomize:shop", File, "./kustomize:shop", false},
		{"context:", Context, "", true}, {"", File, "", true},
	} {
		in, err := ParseInput(tt.arg)
		if in.Kind != tt.kind || in.Name != tt.name || in.Text != tt.arg || (err != nil) != tt.bad {
			t.Errorf("%q: %+v, %v", tt.arg, in, err)
		}
	}
}

// FuzzParse: whatever an argument is, it is one kind of input, and never two.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"a.yaml", "-", "git:main:x", "git:--x", "context:a", "./git:x", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, arg string) {
		in, err := ParseInput(arg)
		if err == nil && (in.Name == "" || in.Text != arg || (in.Kind == Git) != (in.Ref.Rev != "")) {
			t.Errorf("%q: %+v", arg, in)
		}
	})
}

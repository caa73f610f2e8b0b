package manifests

import (
	"fmt"
	"strings"
	"testing"
)

// One priority in a file of 50 policies.
func BenchmarkRewrite(b *testing.B) {
	var all strings.Builder
	for i := range 50 {
		all.WriteString("---\n" + strings.Replace(commented, "name: a\n", fmt.Sprintf("name: a%d\n", i), 1))
	}
	text := all.String()
	p := Parse("x.yaml", []byte(text), Options{}).Policies()[25]
	e := setEdit(p, setPriority(99))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := rewriteText("x.yaml", []byte(text), []Edit{e}); err != nil {
			b.Fatal(err)
		}
	}
}

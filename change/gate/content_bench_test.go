package gate

import (
	"fmt"
	"testing"

	"rung/model"
	"rung/sources/manifests"
	"rung/test/given"
)

// BenchmarkSameContent compares a policy of 100 rules with itself, read once more:
// what every tick does while a change waits to be shown.
func BenchmarkSameContent(b *testing.B) {
	rules := make([]string, 100)
	for i := range rules {
		rules[i] = fmt.Sprintf("in allow tenant=t%d tcp:%d", i, 1000+i)
	}
	read := func() *model.Policy {
		p, broken := manifests.ParsePolicy([]byte(given.ANP("x", 5, "tenant=blue", rules...)))
		if p == nil {
			b.Fatal(broken)
		}
		return p
	}
	p, again := read(), read()
	bare, bareAgain := *p, *again
	bare.Digested, bareAgain.Digested = model.PolicyDigests{}, model.PolicyDigests{}
	for _, c := range []struct {
		name string
		a, b *model.Policy
	}{{"carried", p, again}, {"anew", &bare, &bareAgain}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if !model.SameContent(c.a, c.b) {
					b.Fatal("not the same")
				}
			}
		})
	}
}

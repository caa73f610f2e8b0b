package template

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
)

func TestNames(t *testing.T) {
	for part, want := range map[string]string{"": "walls", "blue": "walls-blue", "opens": "walls-opens"} {
		if got := policyName("walls", part); got != want {
			t.Errorf("%s: %s, want %s", part, got, want)
		}
	}
	seen := map[string]string{}
	for _, part := range []string{"Blue", "blue", "b_lue", "b-lue", "b.lue", "" + strings.Repeat("x", 63), "" + strings.Repeat("x", 62)} {
		name := policyName("walls", part)
		if seen[name] != "" || len(name) > longestName {
			t.Errorf("%s of %s and %s", name, part, seen[name])
		}
		seen[name] = part
	}
}

func TestSelectorsAndPorts(t *testing.T) {
	for text, want := range map[string]string{"all": "all", "name=shop": "name=shop", "tenant=blue,env in (prod, dev)": "env in (dev,prod),tenant=blue", "!tenant": "!tenant"} {
		s, err := parseSelector(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		sel, err := model.NewSelector(s)
		if err != nil || sel.String() != want {
			t.Errorf("%s: %s, %v, want %s", text, sel, err, want)
		}
	}
	for _, bad := range []string{"", "a=b=c", "a in b", "-=x"} {
		if s, err := parseSelector(bad); err == nil {
			t.Errorf("%q is taken: %v", bad, s)
		}
	}
	got, err := parsePorts("80, 8000-8100,53/udp")
	_, ports := portValues(got)
	if diff := cmp.Diff("[80/TCP 8000-8100/TCP 53/UDP]", fmt.Sprint(ports)); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, bad := range []string{"0", "70000", "9-8", "80/ICMP", "http"} {
		if _, err := parsePorts(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// TestExpand: placeholders, conditions and repetitions, and what is called so by nobody.
func TestExpand(t *testing.T) {
	x := &expander{values: object{"label": "tenant", "tenants": []any{"a", "b"}, "ports": nil, "dns": []any{object{"x": int64(1)}}, "direction": "both"}}
	got := x.expand([]any{
		object{"each": "tenants", "name": "$label=$each", "$label": "$each", "ports": "$ports", "n": 5},
		object{"when": "direction!=egress", "to": []any{object{"when": "ports", "y": ""}, "$dns"}},
		object{"when": []any{"direction=both", "!ports"}, "list": []any{object{"when": "direction=egress"}}},
		object{"when": "!tenants"},
	})
	want := []any{object{"name": "tenant=a", "tenant": "a", "n": int64(5)}, object{"name": "tenant=b", "tenant": "b", "n": int64(5)},
		object{"to": []any{object{"x": int64(1)}}}, object{}}
	if diff := cmp.Diff(any(want), got); diff != "" || x.err != nil {
		t.Errorf("%v (-want +got):\n%s", x.err, diff)
	}
	for _, bad := range []any{"$nothing", "a $nothing", object{"$nothing": ""}, []any{object{"when": "nothing=x"}}, []any{object{"when": 5}}, []any{object{"each": "tenants", "a": "$nothing"}},
		[]any{"$nothing", object{"each": "tenants", "a": "$each"}}} {
		x := &expander{values: object{"tenants": []any{"a"}}}
		x.expand(bad)
		if x.err == nil {
			t.Errorf("%v is taken", bad)
		}
	}
}

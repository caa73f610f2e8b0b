package revision_test

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/model/verdict"
	"rung/revision"
	"rung/test/given"
)

// What was refused or not read stands beside the answers that it could change, and beside no
// others.
func TestChanging(t *testing.T) {
	wall := given.ANP("wall", 30, "tenant=blue", "out deny tenant=red", "in allow tenant=green")
	firewall := given.EF("blue", "{type: Deny, to: {cidrSelector: 8.8.8.0/24}}")
	pod, addr := verdict.PodEnd, func(s string) verdict.Endpoint { return verdict.AddrEnd(netip.MustParseAddr(s)) }
	toRed, toOutside := [2]verdict.Endpoint{pod("blue", "web-0"), pod("red", "web-0")}, [2]verdict.Endpoint{pod("blue", "web-0"), addr("9.9.9.9")}
	toDenied, fromGreen := [2]verdict.Endpoint{pod("blue", "web-0"), addr("8.8.8.8")}, [2]verdict.Endpoint{pod("green", "web-0"), pod("blue", "web-0")}
	admin := func(priority int32) model.Broken {
		return model.Broken{Key: model.Key{Kind: model.KindANP, Name: "x"}, Priority: priority, HasPriority: true}
	}
	of := func(k model.Kind, ns, name string) model.Broken {
		return model.Broken{Key: model.Key{Kind: k, Namespace: ns, Name: name}}
	}
	for _, tt := range []struct {
		what   string
		broken model.Broken
		ends   [2]verdict.Endpoint
		could  bool
	}{
		{"a file, whatever decides", model.Broken{Origin: model.Origin{File: "x.yaml"}}, toRed, true},
		{"above the rule that denies", admin(29), toRed, true},
		{"at its priority", admin(30), toRed, true},
		{"below it", admin(31), toRed, false},
		{"of unknown priority", of(model.KindANP, "", "x"), toRed, true},
		{"below the rule that allows, at the other end above", admin(31), fromGreen, true},
		{"where nothing decides", admin(90), toOutside, true},
		{"a baseline below", of(model.KindBANP, "", "default"), toRed, false},
		{"a NetworkPolicy below", of(model.KindNP, "blue", "x"), toRed, false},
		{"a NetworkPolicy where nothing decides", of(model.KindNP, "blue", "x"), toOutside, true},
		{"a NetworkPolicy of another namespace", of(model.KindNP, "green", "x"), toOutside, false},
		{"a firewall", of(model.KindEF, "blue", "default"), toOutside, true},
		{"a firewall of another namespace", of(model.KindEF, "green", "default"), toOutside, false},
		{"a firewall, between pods", of(model.KindEF, "blue", "default"), fromGreen, false},
		{"another firewall where one denies", of(model.KindEF, "blue", "default"), toDenied, true},
		{"the namespace of an end", of(model.KindNamespace, "", "blue"), toRed, true},
		{"another namespace", of(model.KindNamespace, "", "green"), toRed, false},
		{"another pod", of(model.KindPod, "red", "db-0"), toRed, false},
		{"a pod that may have the address", of(model.KindPod, "red", "db-9"), toOutside, true},
		{"a Service that may have the address", of(model.KindService, "red", "x"), toOutside, true},
		{"a Service, between pods", of(model.KindService, "red", "x"), toRed, false},
	} {
		t.Run(tt.what, func(t *testing.T) {
			tt.broken.Severity, tt.broken.Message = model.SeverityError, "is wrong"
			c := given.Cluster(t, wall, firewall)
			r := revision.New(revision.Facts{Number: 1, At: time.Unix(1, 0), Cluster: c, Loaded: true, Broken: []model.Broken{tt.broken},
				Desired: compiler.Compile(c, compiler.Options{IPv4: true, Defaults: compiler.On})}, nil)
			a, err := verdict.FromPolicies(r.Verdicts(), verdict.Connection{From: tt.ends[0], To: tt.ends[1], Protocol: verdict.TCP, Port: 80})
			if err != nil {
				t.Fatal(err)
			}
			got := revision.NewFilter(r, false).OmissionsChanging(&a)
			if could := len(got) > 0; could != tt.could {
				t.Errorf("%s is %s: %v", a.Connection, a.Verdict, got)
			}
			if tt.could && len(revision.UnjudgedOmissions(got)) != 1 {
				t.Errorf("%v counts as judged", got)
			}
		})
	}
}

// What is allowed counts as judged, and only that.
func TestUnjudged(t *testing.T) {
	all := []model.Omission{{Code: model.OmittedFile}, {Code: model.OmittedObject}, {Code: model.OmittedAbsent}}
	for _, tt := range []struct {
		allowed []string
		want    int
	}{{nil, 2}, {[]string{"refused"}, 1}, {[]string{"refused", "unreadable"}, 0}, {[]string{"all"}, 0}, {[]string{"zone"}, 2}} {
		if got := revision.UnjudgedOmissions(all, tt.allowed...); len(got) != tt.want {
			t.Errorf("allowed %v: %v", tt.allowed, got)
		}
	}
}

// Omissions of many answers are each there once, and the lists that they come from stay.
func TestMerge(t *testing.T) {
	one := make([]model.Omission, 0, 9)
	for i := range 3 {
		one = append(one, model.Omission{Code: model.OmittedFile, Origin: model.Origin{File: fmt.Sprint(i)}})
	}
	more := model.Omission{Code: model.OmittedFile, Origin: model.Origin{File: "9"}}
	got := revision.MergeOmissions(one, []model.Omission{one[1], more, more})
	if len(got) != 4 || got[3].Origin.File != "9" || len(one) != 3 || one[:4][3].Origin.File != "" {
		t.Errorf("%v, %v", got, one[:4])
	}
}

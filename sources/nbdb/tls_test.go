package nbdb

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/test/wait"
)

// authority issues certificates into a folder.
type authority struct {
	t    *testing.T
	dir  string
	name string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	n    int64
}

func newAuthority(t *testing.T, dir, name string) *authority {
	a := &authority{t: t, dir: dir, name: name}
	a.cert, a.key = a.issue(name, &x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign})
	return a
}

func (a *authority) path(name string) string { return filepath.Join(a.dir, name) }

// issue writes NAME.pem and NAME.key.
func (a *authority) issue(name string, c *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	a.n++
	c.SerialNumber, c.Subject = big.NewInt(a.n), pkix.Name{CommonName: name}
	c.NotBefore, c.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = c, key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, signer)
	if err != nil {
		a.t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	a.write(name+".pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	a.write(name+".key", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}))
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		a.t.Fatal(err)
	}
	return cert, key
}

func (a *authority) write(name string, text []byte) {
	a.t.Helper()
	if err := os.WriteFile(a.path(name), text, 0o600); err != nil {
		a.t.Fatal(err)
	}
}

// sslServer runs a real ovsdb-server that wants certificates.
func sslServer(t *testing.T, a *authority, cert string) (addr string) {
	t.Helper()
	for _, name := range []string{"ovsdb-server", "ovsdb-tool"} {
		if _, err := exec.LookPath(name); err != nil {
			if os.Getenv("RUNG_REQUIRE_SERVERS") == "1" {
				t.Fatalf("no %s on PATH", name)
			}
			t.Skipf("no %s on PATH", name)
		}
	}
	db := filepath.Join(t.TempDir(), "nb.db")
	if out, err := exec.Command("ovsdb-tool", "create", db, "../sandbox/ovn-nb.ovsschema").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.Command("ovsdb-server", "--no-chdir", "--unixctl="+db+".ctl", "-vconsole:info", "--remote=pssl:0:127.0.0.1",
		"--private-key="+a.path(cert+".key"), "--certificate="+a.path(cert+".pem"), "--ca-cert="+a.path(a.name+".pem"), db)
	says, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	// It takes a port that is free and says which: one that was free a moment ago may
	// be somebody else's by now.
	lines := bufio.NewScanner(says)
	for lines.Scan() {
		if _, port, ok := strings.Cut(lines.Text(), ": listening on port "); ok {
			go func() { _, _ = io.Copy(io.Discard, says) }()
			return "ssl:127.0.0.1:" + strings.TrimSpace(port)
		}
	}
	t.Fatalf("the server does not come up: %v", lines.Err())
	return ""
}

func localhost() *x509.Certificate {
	return &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
}

// A real server over ssl: with the right files rows are read and written, with
// wrong ones the error says which, in one line.
func TestSSL(t *testing.T) {
	dir := t.TempDir()
	ca, other := newAuthority(t, dir, "ca"), newAuthority(t, dir, "other")
	ca.issue("server", localhost())
	ca.issue("nameless", &x509.Certificate{}) // as OVN's often are
	ca.issue("rung", &x509.Certificate{})
	other.issue("stranger", &x509.Certificate{})
	addr, nameless := sslServer(t, ca, "server"), sslServer(t, ca, "nameless")
	good := TLSFiles{Key: ca.path("rung.key"), Cert: ca.path("rung.pem"), CA: ca.path("ca.pem")}

	c := Dial(Config{Name: "node-1", Addr: addr, TLS: good})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	up, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		told := false
		c.Run(ctx, func(u model.ZoneUpdate) {
			if u.Conn == model.ConnSynced && !told {
				told = true
				close(up)
			}
		})
	}()
	select {
	case <-up:
	case <-time.After(wait.Patience):
		t.Fatal("no rows over ssl")
	}
	if _, err := c.Transact(t.Context(), []nb.Op{{Kind: nb.OpInsert, Table: nb.TableGlobal, Row: map[string]any{"name": "node-1"}}}); err != nil {
		t.Error(err)
	}
	cancel()
	<-stopped

	change := func(f func(*TLSFiles)) TLSFiles { out := good; f(&out); return out }
	skip := func(f *TLSFiles) { f.SkipNames = true }
	for _, k := range []struct {
		name, addr string
		files      TLSFiles
		want       string // "" works
	}{
		{"good", addr, good, ""},
		{"names not looked at", addr, change(skip), ""},
		{"another name", nameless, good, "--nb-skip-name-verification"},
		{"another name, not looked at", nameless, change(skip), ""},
		{"another issuer", addr, change(func(f *TLSFiles) { f.CA = other.path("other.pem") }), "not issued by --nb-ca " + other.path("other.pem")},
		{"another issuer, names not looked at", nameless, change(func(f *TLSFiles) { f.CA, f.SkipNames = other.path("other.pem"), true }), "not issued by --nb-ca"},
		{"a stranger's certificate", addr, change(func(f *TLSFiles) { f.Key, f.Cert = other.path("stranger.key"), other.path("stranger.pem") }), "give --nb-key and --nb-cert"},
		{"no certificate", addr, change(func(f *TLSFiles) { f.Key, f.Cert = "", "" }), "give --nb-key and --nb-cert"},
		{"no CA", addr, TLSFiles{}, "give --nb-ca FILE"},
		{"a CA without a certificate", addr, change(func(f *TLSFiles) { f.CA = ca.path("ca.key") }), "--nb-ca " + ca.path("ca.key") + ": no certificate in it"},
		{"no such CA", addr, change(func(f *TLSFiles) { f.CA = dir + "/none" }), "--nb-ca " + dir + "/none: no such file"},
		{"no key", addr, change(func(f *TLSFiles) { f.Key = "" }), "give --nb-key FILE as well"},
		{"no certificate for the key", addr, change(func(f *TLSFiles) { f.Cert = "" }), "give --nb-cert FILE as well"},
		{"a key for a certificate", addr, change(func(f *TLSFiles) { f.Cert = f.Key }), "--nb-cert " + ca.path("rung.key") + ": no certificate in it"},
		{"another's key", addr, change(func(f *TLSFiles) { f.Key = ca.path("server.key") }), "--nb-key " + ca.path("server.key") + " and --nb-cert"},
	} {
		db, err := Dial(Config{Addr: k.addr, AnyName: true, TLS: k.files}).Read(t.Context())
		switch {
		case k.want == "" && (err != nil || (k.addr == addr && db.Global() == nil)):
			t.Errorf("%s: %v, %v", k.name, db.Global(), err)
		case k.want != "" && (err == nil || !strings.Contains(err.Error(), k.want) || strings.Contains(err.Error(), "\n")):
			t.Errorf("%s: %v", k.name, err)
		case k.want != "":
			t.Logf("%s: %v", k.name, err)
		}
	}
	// Renewed files count from the next connection on.
	late := change(func(f *TLSFiles) { f.Key, f.Cert = ca.path("late.key"), ca.path("late.pem") })
	if _, err := Dial(Config{Addr: addr, AnyName: true, TLS: late}).Read(t.Context()); err == nil {
		t.Error("without files")
	}
	ca.issue("late", &x509.Certificate{})
	if _, err := Dial(Config{Addr: addr, AnyName: true, TLS: late}).Read(t.Context()); err != nil {
		t.Errorf("with files: %v", err)
	}
}

// A server that speaks no TLS, one that speaks only an old one, one that says
// nothing, and one that hangs up without a reason are given up in time. The last gets
// the remedy all the same.
func TestSSLOdd(t *testing.T) {
	dir := t.TempDir()
	ca := newAuthority(t, dir, "ca")
	ca.issue("server", localhost())
	pair, err := tls.LoadX509KeyPair(ca.path("server.pem"), ca.path("server.key"))
	if err != nil {
		t.Fatal(err)
	}
	for name, answer := range map[string]func(net.Conn){
		"no TLS": func(c net.Conn) { _, _ = c.Write([]byte("{}{}{}{}")) },
		"TLS 1.1": func(c net.Conn) {
			_ = tls.Server(c, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}).Handshake()
		},
		"hung up": func(c net.Conn) { _ = tls.Server(c, &tls.Config{Certificates: []tls.Certificate{pair}}).Handshake() },
		"silence": func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }, // until the other side hangs up
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			if c, err := l.Accept(); err == nil {
				answer(c)
				_ = c.Close()
			}
		}()
		began := time.Now()
		_, err = Dial(Config{Addr: "ssl:" + l.Addr().String(), AnyName: true, TLS: TLSFiles{CA: ca.path("ca.pem")}, ConnectTimeout: 300 * time.Millisecond}).Read(t.Context())
		if err == nil || time.Since(began) > 5*time.Second {
			t.Errorf("%s: %v after %v", name, err, time.Since(began))
		}
		if name == "hung up" && (err == nil || !strings.Contains(err.Error(), "give --nb-key and --nb-cert")) {
			t.Errorf("%s: %v", name, err)
		}
		t.Logf("%s: %v", name, err)
		_ = l.Close()
		<-done
	}
}

package nbdb

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"rung/sources/files"
)

// TLSFiles configures an ssl: connection. The server is always verified against CA alone, with TLS 1.2 or
// newer. Its name is verified unless SkipNames is set: OVN's own tools ignore it, so certificates often carry
// an unused name.
type TLSFiles struct {
	// Key and Cert are Rung's own, both or neither. CA issued the server's certificate. All are paths of PEM
	// files.
	Key, Cert, CA string
	SkipNames     bool
}

// maxPEM is the largest key or certificate file read, in bytes.
const maxPEM = 1 << 20

// Check reads the files and returns the first error.
func (f TLSFiles) Check() error {
	_, err := f.tlsConfig("localhost")
	return err
}

// tlsConfig reads the files.
func (f TLSFiles) tlsConfig(host string) (*tls.Config, error) {
	if f.CA == "" {
		return nil, errors.New("ssl: needs a CA to verify the server against; give --nb-ca FILE")
	}
	text, err := readPEM("--nb-ca", f.CA)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("--nb-ca %s: no certificate in it", f.CA)
	}
	cfg := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots, ServerName: host}
	if f.SkipNames {
		// The library verifies all or nothing. So everything except the name is verified here, also for
		// resumed connections.
		cfg.InsecureSkipVerify = true
		cfg.VerifyConnection = func(s tls.ConnectionState) error { return verifyChain(s.PeerCertificates, roots) }
	}
	if f.Key != "" || f.Cert != "" {
		cfg.Certificates = make([]tls.Certificate, 1)
		cfg.Certificates[0], err = f.keyPair()
	}
	return cfg, err
}

// keyPair reads Rung's own key and certificate.
func (f TLSFiles) keyPair() (pair tls.Certificate, err error) {
	switch {
	case f.Key == "":
		return pair, fmt.Errorf("--nb-cert %s: its key is missing; give --nb-key FILE as well", f.Cert)
	case f.Cert == "":
		return pair, fmt.Errorf("--nb-key %s: its certificate is missing; give --nb-cert FILE as well", f.Key)
	}
	key, err := readPEM("--nb-key", f.Key)
	if err != nil {
		return pair, err
	}
	cert, err := readPEM("--nb-cert", f.Cert)
	if err != nil {
		return pair, err
	}
	if !hasCertificate(cert) {
		return pair, fmt.Errorf("--nb-cert %s: no certificate in it", f.Cert)
	}
	pair, err = tls.X509KeyPair(cert, key)
	if err != nil {
		return pair, fmt.Errorf("--nb-key %s and --nb-cert %s: %w", f.Key, f.Cert, err)
	}
	return pair, nil
}

func hasCertificate(text []byte) bool {
	for {
		var b *pem.Block
		b, text = pem.Decode(text)
		if b == nil || b.Type == "CERTIFICATE" {
			return b != nil
		}
	}
}

func readPEM(flag, path string) ([]byte, error) {
	text, err := files.ReadRegular(path, maxPEM) // every connection reads it: a pipe would not work
	switch {
	case errors.Is(err, files.ErrTooLarge):
		err = fmt.Errorf("%s %s: larger than %d bytes: not a key or certificate", flag, path, maxPEM)
	case err != nil:
		err = fmt.Errorf("%s %s: %w", flag, path, files.WithoutPath(err))
	}
	return text, err
}

func verifyChain(certs []*x509.Certificate, roots *x509.CertPool) error {
	if len(certs) == 0 {
		return errors.New("the server sent no certificate")
	}
	between := x509.NewCertPool()
	for _, c := range certs[1:] {
		between.AddCert(c)
	}
	_, err := certs[0].Verify(x509.VerifyOptions{Roots: roots, Intermediates: between})
	return err
}

// dialTLS connects and does the handshake. It reads the files now, so that renewed certificates are used for
// the next connection.
func (f TLSFiles) dialTLS(ctx context.Context, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	cfg, err := f.tlsConfig(host)
	if err != nil {
		return nil, err
	}
	var d net.Dialer
	raw, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	c := tls.Client(raw, cfg)
	if err := c.HandshakeContext(ctx); err != nil {
		_ = raw.Close()
		return nil, f.explainError(err)
	}
	return &explainedConn{Conn: c, files: f}, nil
}

// explainedConn adds remedies to errors: a TLS 1.3 server rejects a certificate only after the handshake.
type explainedConn struct {
	*tls.Conn
	files       TLSFiles
	hasReceived bool // the server has sent data; used only by the reader's goroutine
}

func (c *explainedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.hasReceived = c.hasReceived || n > 0
	if err != nil {
		err = c.files.explainError(err)
		// The alert of a server that hung up may be lost: some systems drop unread data when a connection is reset.
		if !c.hasReceived && serverAlert(err) == "" && !errors.Is(err, net.ErrClosed) && !errors.Is(err, os.ErrDeadlineExceeded) {
			err = fmt.Errorf("%w: the server hung up right after the TLS handshake; "+
				"if it takes only certificates of its own CA, give --nb-key and --nb-cert", err)
		}
	}
	return n, err
}

// explainError adds the remedy for errors between well-behaved peers.
func (f TLSFiles) explainError(err error) error {
	_, name := errors.AsType[x509.HostnameError](err)
	_, issuer := errors.AsType[x509.UnknownAuthorityError](err)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("no answer to the TLS handshake: %w", err)
	case name:
		return fmt.Errorf("%w; --nb-skip-name-verification checks only the issuer", err)
	case issuer:
		return fmt.Errorf("%w: not issued by --nb-ca %s", err, f.CA)
	case strings.Contains(serverAlert(err), "certificate"):
		return fmt.Errorf("%w; the server takes only certificates of its own CA: give --nb-key and --nb-cert", err)
	}
	return err
}

// serverAlert returns the server's TLS alert, empty if it sent none.
func serverAlert(err error) string {
	if remote, ok := errors.AsType[*net.OpError](err); ok && remote.Op == "remote error" {
		return remote.Err.Error()
	}
	return ""
}

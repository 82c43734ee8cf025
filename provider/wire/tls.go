package wire

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
)

// isCertificate reports whether a connection failed at the server's certificate: trying again would not help.
func isCertificate(err error) bool {
	var verify *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	return errors.As(err, &verify) || errors.As(err, &unknown) || errors.As(err, &host)
}

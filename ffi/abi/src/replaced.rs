//! What to call instead of operators that newer releases of libtorch no longer have: what the compiler and the torch library say of them.

/// What does the work of an operator, named with its overload, that a release lacks.
pub fn replaced(operator: &str) -> Option<&'static str> {
    match operator.split('.').next()? {
        "cholesky" => Some("`linalg_cholesky` does the same"),
        "qr" => Some("`linalg_qr` does the same"),
        "align_as" | "align_tensors" => {
            Some("names of dimensions are gone; `permute` orders them by number")
        }
        "linalg_polar" => Some("it is new in libtorch 2.14; `linalg_svd` gives its factors"),
        "linalg_matrix_sqrth" => Some("it is new in libtorch 2.14; `linalg_eigh` gives its parts"),
        _ => None,
    }
}

//! The names of types, as pyarrow shows them.

use super::invalid::Invalid;

/// Returns the name of the type with a format, or the format itself if it has none.
pub fn type_name(format: &str) -> String {
    let name = match format {
        "n" => "null",
        "b" => "bool",
        "c" => "int8",
        "C" => "uint8",
        "s" => "int16",
        "S" => "uint16",
        "i" => "int32",
        "I" => "uint32",
        "l" => "int64",
        "L" => "uint64",
        "e" => "halffloat",
        "f" => "float",
        "g" => "double",
        "u" => "string",
        "U" => "large_string",
        "vu" => "string_view",
        "z" => "binary",
        "Z" => "large_binary",
        "vz" => "binary_view",
        "tdD" => "date32[day]",
        "tdm" => "date64[ms]",
        "tts" => "time32[s]",
        "ttm" => "time32[ms]",
        "ttu" => "time64[us]",
        "ttn" => "time64[ns]",
        "tDs" => "duration[s]",
        "tDm" => "duration[ms]",
        "tDu" => "duration[us]",
        "tDn" => "duration[ns]",
        "tin" => "month_day_nano_interval",
        "+l" => "list",
        "+L" => "large_list",
        "+vl" => "list_view",
        "+vL" => "large_list_view",
        "+s" => "struct",
        "+m" => "map",
        "+r" => "run_end_encoded",
        _ => return type_with_parameters(format),
    };
    name.to_owned()
}

fn type_with_parameters(format: &str) -> String {
    let (kind, parameters) = format.split_once(':').unwrap_or((format, ""));
    match kind {
        "d" => match parameters.splitn(3, ',').collect::<Vec<_>>()[..] {
            [precision, scale] => format!("decimal128({precision}, {scale})"),
            [precision, scale, bits] => format!("decimal{bits}({precision}, {scale})"),
            _ => "decimal".to_owned(),
        },
        "w" => format!("fixed_size_binary[{parameters}]"),
        "+w" => format!("fixed_size_list[{parameters}]"),
        "+ud" | "+us" => "union".to_owned(),
        "tss" | "tsm" | "tsu" | "tsn" => {
            let unit = match kind {
                "tss" => "s",
                "tsm" => "ms",
                "tsu" => "us",
                _ => "ns",
            };
            let zone = if parameters.is_empty() { String::new() } else { format!(", tz={parameters}") };
            format!("timestamp[{unit}{zone}]")
        }
        // Extensions of libraries to the formats, such as that of Polars for integers of 128 bits.
        _ => format!("{format:?}"),
    }
}

/// Returns the error for a column of a type that is not accepted.
#[cold]
pub fn unsupported_type(format: &str, accepted: &str) -> Invalid {
    let name = type_name(format);
    Invalid::new(format!("a column of type {name}: expected {accepted}, or a dictionary of them"))
}

//! Columns from and to Python objects.

use std::collections::HashMap;
use std::ffi::CString;
use std::sync::Arc;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyList, PyString, PyTuple};

use super::array::{Array, Bits, Data, Texts, offset};
use super::floats::is_float;
use super::integers::{IntegerChunk, has_integers, has_numbers, is_integer};
use super::text::{TextChunk, is_text};
use super::{Imported, Invalid, Node, SchemaNode, unsupported_type};
use crate::urls::text_bytes;

/// A column as Python passes it: Arrow data, or one value, or a list of values.
pub enum Argument {
    /// Arrow data.
    Imported(Imported),
    /// Texts or bytes.
    Texts(ListedTexts),
    /// Integers.
    Integers(ListedIntegers),
}

/// The texts of a list. Rows with the same object share a value.
#[derive(Default)]
pub struct ListedTexts {
    /// The numbers of values, of 32 bits each.
    pub keys: Vec<u8>,
    /// The rows that are not null.
    pub valid: Bits,
    /// The values.
    pub values: Vec<Box<[u8]>>,
}

/// The integers of a list.
#[derive(Default)]
pub struct ListedIntegers {
    /// The numbers, of 64 bits each.
    pub numbers: Vec<u8>,
    /// The rows that are not null.
    pub valid: Bits,
    /// The rows whose number is above the largest `i64`, and wraps around.
    pub large: Bits,
}

/// The chunks of a column.
pub enum Chunks<'a> {
    /// Of texts or bytes.
    Text(Vec<TextChunk<'a>>),
    /// Of integers.
    Integers(Vec<IntegerChunk<'a>>),
}

impl<'a> Chunks<'a> {
    /// Reads an array of IDs.
    pub fn of_ids(node: &Node<'a>) -> Result<Self, Invalid> {
        check_id_type(node.schema())?;
        if has_numbers(node.schema())? {
            Ok(Self::Integers(vec![IntegerChunk::new(node)?]))
        } else {
            Ok(Self::Text(vec![TextChunk::new(node)?]))
        }
    }
}

impl Argument {
    /// Reads an argument.
    pub fn from_object(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(list) = object.cast::<PyList>() {
            return listed(list.iter());
        }
        if object.is_none()
            || object.is_instance_of::<PyString>()
            || object.is_instance_of::<PyBytes>()
            || object.is_instance_of::<PyInt>()
        {
            return listed(std::iter::once(object.clone()));
        }
        match Imported::from_object(object)? {
            Some(imported) => Ok(Self::Imported(imported)),
            None => Err(PyTypeError::new_err(format!(
                "a column must be Arrow data, a list or a single value, not {}",
                object.get_type().name()?
            ))),
        }
    }

    /// The chunks of a column of IDs.
    pub fn ids(&self) -> Result<Chunks<'_>, Invalid> {
        if let Self::Imported(imported) = self {
            let schema = single_type(imported)?;
            check_id_type(schema)?;
            if has_numbers(schema)? {
                return Ok(Chunks::Integers(IntegerChunk::read(imported)?));
            }
        }
        self.chunks()
    }

    /// The chunks of the column.
    pub fn chunks(&self) -> Result<Chunks<'_>, Invalid> {
        Ok(match self {
            Self::Imported(imported) => {
                if has_integers(single_type(imported)?)? {
                    Chunks::Integers(IntegerChunk::read(imported)?)
                } else {
                    Chunks::Text(TextChunk::read(imported)?)
                }
            }
            Self::Texts(texts) => Chunks::Text(vec![TextChunk::listed(texts)?]),
            Self::Integers(integers) => Chunks::Integers(vec![IntegerChunk::listed(integers)?]),
        })
    }
}

/// The type of the only column of a table, or of the column itself.
fn single_type(imported: &Imported) -> Result<SchemaNode<'_>, Invalid> {
    let schema = imported.schema()?;
    if schema.format() == "+s" && schema.child_count()? == 1 { schema.child(0) } else { Ok(schema) }
}

fn check_id_type(schema: SchemaNode<'_>) -> Result<(), Invalid> {
    let format = schema.dictionary()?.unwrap_or(schema).format();
    if is_integer(format) || is_float(format) || is_text(format) {
        return Ok(());
    }
    Err(unsupported_type(format, "integers, text or bytes"))
}

fn listed<'py>(items: impl Iterator<Item = Bound<'py, PyAny>>) -> PyResult<Argument> {
    let mut texts = ListedTexts::default();
    let mut integers = ListedIntegers::default();
    // The objects live as long as the map, so that no address is used twice.
    let mut known: HashMap<usize, u32> = HashMap::new();
    let mut objects = Vec::new();
    for item in items {
        let (is_text, is_integer) = (texts.values.is_empty(), integers.valid.set_count() == 0);
        if item.is_none() {
            texts.push(None);
            integers.push(None);
        } else if item.is_instance_of::<PyInt>() && is_text {
            texts.push(None);
            integers.push_object(&item);
        } else if let (Some(bytes), true) = (text_bytes(&item)?, is_integer) {
            let address = item.as_ptr() as usize;
            let key = if let Some(&key) = known.get(&address) {
                key
            } else {
                let key = u32::try_from(texts.values.len())
                    .map_err(|_| PyValueError::new_err("a list of more than 4294967295 values"))?;
                texts.values.push(bytes.into());
                known.insert(address, key);
                objects.push(item);
                key
            };
            texts.push(Some(key));
            integers.push(None);
        } else {
            return Err(PyTypeError::new_err(format!(
                "invalid value of type {} in a column: expected str or bytes, or only int",
                item.get_type().name()?
            )));
        }
    }
    Ok(if integers.valid.set_count() > 0 { Argument::Integers(integers) } else { Argument::Texts(texts) })
}

impl ListedTexts {
    fn push(&mut self, key: Option<u32>) {
        self.valid.push(key.is_some());
        self.keys.extend_from_slice(&key.unwrap_or(0).to_ne_bytes());
    }
}

impl ListedIntegers {
    fn push(&mut self, number: Option<i64>) {
        self.valid.push(number.is_some());
        self.large.push(false);
        self.numbers.extend_from_slice(&number.unwrap_or(0).to_ne_bytes());
    }

    fn push_object(&mut self, object: &Bound<'_, PyAny>) {
        match object.extract::<u64>() {
            Ok(number) if i64::try_from(number).is_err() => {
                self.valid.push(true);
                self.large.push(true);
                self.numbers.extend_from_slice(&number.to_ne_bytes());
            }
            // Represents all numbers that are too large.
            _ => self.push(Some(object.extract().unwrap_or(i64::MIN))),
        }
    }
}

/// Returns the rows of a column of text or bytes as `bytes`. Rows of one dictionary value share an object.
#[pyfunction]
#[pyo3(signature = (column, /))]
pub fn read_values<'py>(column: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    let py = column.py();
    let list = PyList::empty(py);
    let argument = Argument::from_object(column)?;
    let Chunks::Text(chunks) = argument.chunks()? else {
        return Err(Invalid::new("a column of integers: expected text or bytes").into());
    };
    let object = |value: Option<&[u8]>| match value {
        None => py.None().into_bound(py),
        Some(value) => PyBytes::new(py, value).into_any(),
    };
    for chunk in &chunks {
        let coded = chunk.coded();
        let mut shared: Vec<Option<Bound<'_, PyAny>>> = vec![None; coded.as_ref().map_or(0, |c| c.values.length())];
        for row in 0..chunk.length() {
            match &coded {
                Some(coded) if !chunk.is_null(row) => {
                    let code = coded.code(row)?;
                    let item = match &shared[code] {
                        Some(item) => item.clone(),
                        None => shared[code].insert(object(coded.values.get(code)?)).clone(),
                    };
                    list.append(item)?;
                }
                _ => list.append(object(chunk.get(row)?))?,
            }
        }
    }
    Ok(list)
}

/// Builds a column from Python objects: the type, and one object for each row.
///
/// A type is `bool`, `int32`, `int64`, `float64` or `text`, or `("list", type)`, or `("struct", ((name, type), ...))`.
/// The rows of a struct are tuples.
#[pyfunction]
#[pyo3(signature = (type_, values, /))]
pub fn build_column(type_: &Bound<'_, PyAny>, values: &Bound<'_, PyList>) -> PyResult<super::array::Column> {
    Ok(super::array::Column::new(build(type_, &values.iter().collect::<Vec<_>>())?))
}

fn build(type_: &Bound<'_, PyAny>, values: &[Bound<'_, PyAny>]) -> PyResult<Array> {
    let mut valid = Bits::default();
    let present = |value: &Bound<'_, PyAny>| !value.is_none();
    for value in values {
        valid.push(present(value));
    }
    if let Ok(parts) = type_.cast::<PyTuple>() {
        let inner = parts.get_item(1)?;
        if parts.get_item(0)?.eq("list")? {
            let (mut items, mut offsets) = (Vec::new(), vec![0]);
            for value in values {
                if present(value) {
                    items.extend(value.try_iter()?.collect::<PyResult<Vec<_>>>()?);
                }
                offsets.push(offset(items.len())?);
            }
            let items = Arc::new(build(&inner, &items)?);
            return Ok(Array::new(values.len(), valid, Data::List { offsets, items }));
        }
        let mut fields = Vec::new();
        for (index, field) in inner.try_iter()?.enumerate() {
            let (name, type_): (String, Bound<'_, PyAny>) = field?.extract()?;
            let column =
                values.iter().map(|value| if present(value) { value.get_item(index) } else { Ok(value.clone()) });
            let column = column.collect::<PyResult<Vec<_>>>()?;
            fields.push((CString::new(name)?, Arc::new(build(&type_, &column)?)));
        }
        return Ok(Array::new(values.len(), valid, Data::Struct(fields)));
    }
    let name: String = type_.extract()?;
    let data = match name.as_str() {
        "bool" => {
            let mut bits = Bits::default();
            for value in values {
                bits.push(present(value) && value.extract()?);
            }
            return Ok(bits.into_array(valid));
        }
        "int32" => Data::Int32(numbers(values)?),
        "int64" => Data::Int64(numbers(values)?),
        "float64" => Data::Float64(numbers(values)?),
        "text" => {
            let mut texts = Texts::default();
            for value in values {
                texts.push(value.extract::<Option<String>>()?.as_deref())?;
            }
            return Ok(texts.into_array());
        }
        _ => return Err(PyValueError::new_err(format!("unknown type {name:?}"))),
    };
    Ok(Array::new(values.len(), valid, data))
}

fn numbers<'py, T>(values: &[Bound<'py, PyAny>]) -> PyResult<Vec<T>>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr> + Default,
{
    values.iter().map(|value| if value.is_none() { Ok(T::default()) } else { value.extract() }).collect()
}

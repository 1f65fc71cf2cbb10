"""Java of ours in the driver's JVM: what one plan takes, in a few calls.

Each call from Python is a message to the JVM and one back, and both sides wait for a processor each time. The source is
compiled once a session, by the compiler that Spark has for the code that it generates.
"""

from __future__ import annotations

import uuid
from typing import Any, Final

from py4j.java_gateway import JavaClass
from pyspark.sql import SparkSession

_PACKAGE: Final = "hudi_core.spark"
_PLANS: Final = """
package PACKAGE;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.python.PythonUtils;
import org.apache.spark.sql.catalyst.InternalRow$;
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.execution.datasources.FileIndex;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation$;
import org.apache.spark.sql.execution.datasources.PartitionDirectory$;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.TableScan;
import org.apache.spark.sql.types.StructType;
import scala.Option;

import SESSIONS.Dataset;
import SESSIONS.SparkSession;

public class NAME {
    private final SparkSession session;
    private final scala.collection.immutable.Map options;
    private final FileFormat format = new ParquetFileFormat();

    public NAME(SparkSession session, Map options) {
        this.session = session;
        this.options = PythonUtils.toScalaMap(options);
    }

    /** The relation of files, listed as URI and size in bytes, with zero characters between. */
    public LogicalPlan relation(StructType columns, String listing) {
        String[] parts = listing.split("\\0");
        FileStatus[] files = new FileStatus[parts.length / 2];
        for (int i = 0; i < files.length; i++) {
            files[i] = new FileStatus(Long.parseLong(parts[2 * i + 1]), false, 1, 0, 0, new Path(parts[2 * i]));
        }
        HadoopFsRelation relation = new HadoopFsRelation(
            new Files(files), new StructType(), columns, Option.empty(), format, options, session);
        return LogicalRelation$.MODULE$.apply(relation, false);
    }

    /** The numbers of tasks, each in a partition of its own, with a size in bytes for Spark to plan by. */
    public Dataset tasks(int count, long bytes) {
        return session.baseRelationToDataFrame(new Tasks(session, count, bytes));
    }

    /** The rows of a plan; it is marked as analyzed if all its types are known and no rule of others is to see it. */
    public Dataset rows(LogicalPlan plan, ExpressionEncoder encoder, boolean marked) {
        if (marked && plan.resolved()) {
            plan.setAnalyzed();
        }
        return new Dataset(session, plan, encoder);
    }
"""
_FILES: Final = """
    /** Files that are known: nothing is listed. */
    public static class Files implements FileIndex {
        private final FileStatus[] files;
        private final List paths = new ArrayList();
        private long bytes = 0;

        public Files(FileStatus[] files) {
            this.files = files;
            for (int i = 0; i < files.length; i++) {
                paths.add(files[i].getPath());
                bytes += files[i].getLen();
            }
        }

        public SEQUENCE rootPaths() {
            return PythonUtils.toSeq(paths);
        }

        public SEQUENCE listFiles(SEQUENCE ofPartitions, SEQUENCE ofRows) {
            return PythonUtils.toSeq(Arrays.asList(
                new Object[] {PartitionDirectory$.MODULE$.apply(InternalRow$.MODULE$.empty(), files)}));
        }

        public String[] inputFiles() {
            String[] found = new String[files.length];
            for (int i = 0; i < files.length; i++) {
                found[i] = files[i].getPath().toUri().toString();
            }
            return found;
        }

        public void refresh() {}

        public long sizeInBytes() {
            return bytes;
        }

        public StructType partitionSchema() {
            return new StructType();
        }

        public boolean equals(Object other) {
            return other instanceof Files && paths.equals(((Files) other).paths);
        }

        public int hashCode() {
            return paths.hashCode();
        }
    }
"""
_TASKS: Final = """
    /** Numbers of tasks from 0 on. Equal ones give the same rows. */
    public static class Tasks extends BaseRelation implements TableScan {
        private final SparkSession session;
        private final int count;
        private final long bytes;

        public Tasks(SparkSession session, int count, long bytes) {
            this.session = session;
            this.count = count;
            this.bytes = bytes;
        }

        public org.apache.spark.sql.SQLContext sqlContext() {
            return session.sqlContext();
        }

        public StructType schema() {
            return new StructType().add("id", "bigint", false);
        }

        public long sizeInBytes() {
            return bytes;
        }

        public org.apache.spark.rdd.RDD buildScan() {
            return session.range(0, count, 1, Math.max(count, 1)).toDF().rdd();
        }

        public boolean equals(Object other) {
            return other instanceof Tasks && count == ((Tasks) other).count && bytes == ((Tasks) other).bytes;
        }

        public int hashCode() {
            return 31 * count + (int) bytes;
        }

        public String toString() {
            return count + " tasks";
        }
    }
"""
_CONDITIONS: Final = """
    /** A column of a relation by its position. */
    public org.apache.spark.sql.Column column(LogicalPlan relation, int position) {
        return new org.apache.spark.sql.Column(
            (org.apache.spark.sql.catalyst.expressions.Expression) relation.output().apply(position));
    }

    /** The rows of a relation for which a condition is true. */
    public Dataset rows(
        LogicalPlan relation, org.apache.spark.sql.Column condition, ExpressionEncoder encoder, boolean marked) {
        return rows(
            new org.apache.spark.sql.catalyst.plans.logical.Filter(condition.expr(), relation), encoder, marked);
    }
"""
"""The way of Spark 3, where columns are expressions of plans."""


def plans_of(spark: SparkSession, options: dict[str, str]) -> tuple[Any, bool]:
    """The session's maker of plans, whose relations have these options, and whether it has conditions.

    Raises `Py4JError` or `TypeError` where Spark hides the classes or has others.
    """
    context = spark.sparkContext
    jvm: Any = context._jvm
    gateway: Any = context._gateway
    with_conditions = not isinstance(jvm.org.apache.spark.sql.classic.Dataset, JavaClass)
    sessions = "org.apache.spark.sql" if with_conditions else "org.apache.spark.sql.classic"
    name = f"Plans{uuid.uuid4().hex}"  # Py4J caches methods by the name of their class, whichever loader it is from
    sequence = f"scala.collection.{'' if _is_scala_2_12(jvm) else 'immutable.'}Seq"
    source = _PLANS + _FILES + _TASKS + (_CONDITIONS if with_conditions else "") + "}\n"
    for word, meant in (("PACKAGE", _PACKAGE), ("NAME", name), ("SESSIONS", sessions), ("SEQUENCE", sequence)):
        source = source.replace(word, meant)
    compiler = jvm.org.codehaus.janino.SimpleCompiler()
    compiler.setParentClassLoader(jvm.org.apache.spark.util.Utils.getContextOrSparkClassLoader())
    compiler.cook(source)
    (constructor,) = compiler.getClassLoader().loadClass(f"{_PACKAGE}.{name}").getConstructors()
    given = gateway.new_array(jvm.Object, 2)
    given[0], given[1] = spark._jsparkSession, _java_map(jvm, options)
    return constructor.newInstance(given), with_conditions


def _is_scala_2_12(jvm: Any) -> bool:
    return bool(jvm.scala.util.Properties.versionNumberString().startswith("2.12."))


def _java_map(jvm: Any, entries: dict[str, str]) -> Any:
    java_map = jvm.java.util.HashMap()
    for key, value in entries.items():
        java_map.put(key, value)
    return java_map

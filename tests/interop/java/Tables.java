import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hadoop.conf.Configuration;
import org.apache.hudi.avro.HoodieAvroReaderContext;
import org.apache.hudi.client.HoodieJavaWriteClient;
import org.apache.hudi.client.WriteStatus;
import org.apache.hudi.client.common.HoodieJavaEngineContext;
import org.apache.hudi.common.config.HoodieMetadataConfig;
import org.apache.hudi.common.config.TypedProperties;
import org.apache.hudi.common.engine.EngineType;
import org.apache.hudi.common.model.DefaultHoodieRecordPayload;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieAvroRecord;
import org.apache.hudi.common.model.HoodieKey;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.schema.HoodieSchema;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.TableSchemaResolver;
import org.apache.hudi.common.table.read.HoodieFileGroupReader;
import org.apache.hudi.common.table.view.FileSystemViewManager;
import org.apache.hudi.common.table.view.HoodieTableFileSystemView;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.common.util.collection.ClosableIterator;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.metadata.HoodieTableMetadata;
import org.apache.hudi.storage.hadoop.HadoopStorageConfiguration;

/** Makes, writes and reads tables by the Java client of Apache Hudi. One command a line of the file that is the argument, fields apart by tabs. */
public class Tables {
  static final Schema SCHEMA = new Schema.Parser().parse(
      "{\"type\":\"record\",\"name\":\"row\",\"fields\":[{\"name\":\"id\",\"type\":\"string\"},{\"name\":\"p\",\"type\":\"string\"},"
          + "{\"name\":\"ts\",\"type\":\"long\"},{\"name\":\"v\",\"type\":[\"null\",\"string\"],\"default\":null}]}");
  static final HadoopStorageConfiguration STORAGE = new HadoopStorageConfiguration(new Configuration());

  public static void main(String[] arguments) throws Exception {
    for (String line : Files.readAllLines(Path.of(arguments[0]), StandardCharsets.UTF_8)) {
      String[] parts = line.split("\t");
      switch (parts[0]) {
        case "create" -> create(parts[1], parts);
        case "read" -> read(parts[1], parts[2]);
        case "load" -> Class.forName(parts[1]);
        default -> write(parts[0], parts[1], parts[2], parts);
      }
    }
  }

  static Properties options(String[] parts, int first) {
    Properties options = new Properties();
    for (int number = first; number < parts.length; number++) {
      String[] pair = parts[number].split("=", 2);
      options.setProperty(pair[0], pair[1]);
    }
    return options;
  }

  /** create PATH KEY=VALUE... */
  static void create(String path, String[] parts) throws Exception {
    HoodieTableMetaClient.newTableBuilder().fromProperties(options(parts, 2)).initTable(STORAGE, path);
  }

  /** upsert|insert|delete PATH ROWS KEY=VALUE..., where ROWS is a file of id, p, ts and v; or compact PATH - KEY=VALUE... */
  static void write(String operation, String path, String rows, String[] parts) throws Exception {
    HoodieWriteConfig config = HoodieWriteConfig.newBuilder().withPath(path).withSchema(SCHEMA.toString())
        .withEngineType(EngineType.JAVA).withEmbeddedTimelineServerEnabled(false).withParallelism(2, 2).withDeleteParallelism(2)
        .forTable("t").withProps(options(parts, 3)).build();
    try (HoodieJavaWriteClient<DefaultHoodieRecordPayload> client =
        new HoodieJavaWriteClient<>(new HoodieJavaEngineContext(STORAGE), config)) {
      if (operation.equals("compact")) {
        String instant = client.scheduleCompaction(Option.empty()).get();
        client.compact(instant, true);
        return;
      }
      List<HoodieRecord<DefaultHoodieRecordPayload>> records = new ArrayList<>();
      for (String line : Files.readAllLines(Path.of(rows), StandardCharsets.UTF_8)) {
        String[] values = line.split("\t");
        GenericRecord record = new GenericData.Record(SCHEMA);
        record.put("id", values[0]);
        record.put("p", values[1]);
        record.put("ts", Long.parseLong(values[2]));
        record.put("v", values[3]);
        records.add(new HoodieAvroRecord<>(
            new HoodieKey(values[0], values[1]), new DefaultHoodieRecordPayload(record, Long.parseLong(values[2]))));
      }
      String instant = client.startCommit();
      List<WriteStatus> statuses = switch (operation) {
        case "insert" -> client.insert(records, instant);
        case "upsert" -> client.upsert(records, instant);
        case "delete" -> client.delete(records.stream().map(HoodieRecord::getKey).collect(Collectors.toList()), instant);
        default -> throw new IllegalArgumentException(operation);
      };
      if (!client.commit(instant, statuses)) {
        throw new IllegalStateException("not committed: " + instant);
      }
    }
  }

  /** read PATH OUTPUT: the rows in the order of their texts, by the listing of the metadata table where there is one. */
  static void read(String path, String output) throws Exception {
    HoodieTableMetaClient client = HoodieTableMetaClient.builder().setConf(STORAGE).setBasePath(path).build();
    HoodieSchema schema = new TableSchemaResolver(client).getTableSchema(true);
    HoodieJavaEngineContext context = new HoodieJavaEngineContext(STORAGE);
    boolean listed = client.getTableConfig().isMetadataTableAvailable();
    HoodieMetadataConfig metadata = HoodieMetadataConfig.newBuilder().enable(listed).build();
    String latest = client.getActiveTimeline().filterCompletedInstants().lastInstant().get().requestedTime();
    TreeSet<String> rows = new TreeSet<>();
    HoodieTableFileSystemView view = FileSystemViewManager.createInMemoryFileSystemView(context, client, metadata);
    try (HoodieTableMetadata files = client.getTableFormat().getMetadataFactory().create(context, client.getStorage(), metadata, path)) {
      for (String partition : files.getAllPartitionPaths()) {
        for (FileSlice slice : view.getLatestMergedFileSlicesBeforeOrOn(partition, latest).collect(Collectors.toList())) {
          HoodieAvroReaderContext reader =
              new HoodieAvroReaderContext(STORAGE, client.getTableConfig(), Option.empty(), Option.empty(), new TypedProperties());
          HoodieFileGroupReader<IndexedRecord> group = HoodieFileGroupReader.<IndexedRecord>builder().withReaderContext(reader)
              .withHoodieTableMetaClient(client).withLatestCommitTime(latest).withBaseFileOption(slice.getBaseFile())
              .withLogFiles(slice.getLogFiles()).withPartitionPath(partition).withDataSchema(schema).withRequestedSchema(schema)
              .withProps(new TypedProperties()).build();
          try (ClosableIterator<IndexedRecord> records = group.getClosableIterator()) {
            while (records.hasNext()) {
              GenericRecord record = (GenericRecord) records.next();
              rows.add(record.get("id") + "\t" + record.get("p") + "\t" + record.get("ts") + "\t" + record.get("v"));
            }
          }
        }
      }
    }
    Files.write(Path.of(output), rows, StandardCharsets.UTF_8);
    view.close();
  }
}
